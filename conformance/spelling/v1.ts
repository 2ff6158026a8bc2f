import { randomUUID } from "node:crypto";
import { checkShape, type Json } from "../shapes/check.js";
import { V1 } from "../shapes/v1.js";
import type { Ask, Message, Operation, Part, PushConfig, State, StoredPush, StreamEvent, Task } from "../words.js";
import type { Dialect } from "./dialect.js";
import { edited, set, setOrAbsent } from "./edit.js";

/** A2A 1.0: the same ProtoJSON on every binding. */
export const v1: Dialect = {
  version: "1.0",
  params: (operation, ask) => edited(set(spell(operation, ask)), ask),
  sent(value) {
    checkShape(V1, "SendMessageResponse", value);
    const { task, message } = value as Json;
    return task === undefined
      ? { type: "message", message: readMessage(message as Json) }
      : { type: "task", task: readTask(task as Json) };
  },
  event(value) {
    checkShape(V1, "StreamResponse", value);
    return readEvent(value as Json);
  },
  task(value) {
    checkShape(V1, "Task", value);
    return readTask(value as Json);
  },
  page(value) {
    checkShape(V1, "ListTasksResponse", value);
    const { tasks, nextPageToken, pageSize, totalSize } = value as Json;
    return {
      tasks: (tasks as Json[]).map(readTask),
      nextPageToken: nextPageToken as string,
      pageSize: pageSize as number,
      totalSize: totalSize as number,
    };
  },
  push: readPush,
  pushes(value) {
    checkShape(V1, "ListTaskPushNotificationConfigsResponse", value);
    return (((value as Json).configs ?? []) as unknown[]).map(readPush);
  },
  card(value) {
    checkShape(V1, "AgentCard", value);
    return value as Json;
  },
};

const stateV1 = (state: State): string => `TASK_STATE_${state.toUpperCase().replace("-", "_")}`;

function spell(operation: Operation, ask: Ask): Json {
  const { tenant, id, historyLength } = ask;
  switch (operation) {
    case "send":
    case "stream":
      return {
        tenant,
        message: spellMessage(ask),
        configuration: setOrAbsent({
          acceptedOutputModes: ask.acceptedOutputModes,
          taskPushNotificationConfig: ask.push === undefined ? undefined : spellPush(ask.push),
          historyLength,
          returnImmediately: ask.blocking === undefined ? undefined : !ask.blocking,
        }),
        metadata: ask.metadata,
      };
    case "get":
      return { tenant, id, historyLength };
    case "cancel":
      return { tenant, id, metadata: ask.metadata };
    case "subscribe":
      return { tenant, id };
    case "list":
      return {
        tenant,
        contextId: ask.contextId,
        status: ask.status === undefined ? undefined : stateV1(ask.status),
        pageSize: ask.pageSize,
        pageToken: ask.pageToken,
        historyLength,
        statusTimestampAfter: ask.statusTimestampAfter,
        includeArtifacts: ask.includeArtifacts,
      };
    case "createPush":
      return { tenant, taskId: id, ...(ask.push === undefined ? {} : spellPush(ask.push)) };
    case "getPush":
    case "deletePush":
      return { tenant, taskId: id, id: ask.pushId };
    case "listPush":
      return { tenant, taskId: id, pageSize: ask.pageSize, pageToken: ask.pageToken };
    case "extendedCard":
      return { tenant };
  }
}

const spellMessage = (ask: Ask): Json =>
  set({
    messageId: ask.messageId ?? randomUUID(),
    contextId: ask.contextId,
    taskId: ask.taskId,
    role: "ROLE_USER",
    parts: ask.parts ?? [{ text: ask.text ?? "hello" }],
    metadata: ask.messageMetadata,
    extensions: ask.extensions,
    referenceTaskIds: ask.referenceTaskIds,
  });

const spellPush = ({ id, url, token, authentication }: PushConfig): Json => set({ id, url, token, authentication });

export function readEvent(value: Json): StreamEvent {
  if (value.task !== undefined) return { type: "task", task: readTask(value.task as Json) };
  if (value.message !== undefined) return { type: "message", message: readMessage(value.message as Json) };
  if (value.statusUpdate !== undefined) {
    const { taskId, contextId, status } = value.statusUpdate as { taskId: string; contextId: string; status: Json };
    const { state, said } = readStatus(status);
    return { type: "status", taskId, contextId, state, ...(said === undefined ? {} : { said }) };
  }
  const { taskId, contextId, artifact, append, lastChunk } = value.artifactUpdate as Json;
  return {
    type: "artifact",
    taskId: taskId as string,
    contextId: contextId as string,
    artifact: artifact as StreamArtifact,
    append: append === true,
    lastChunk: lastChunk === true,
  };
}

type StreamArtifact = Extract<StreamEvent, { type: "artifact" }>["artifact"];

function readTask(value: Json): Task {
  const { state, said, timestamp } = readStatus(value.status as Json);
  const task: Task = { id: value.id as string, contextId: value.contextId as string, state };
  if (said !== undefined) task.said = said;
  if (timestamp !== undefined) task.timestamp = timestamp;
  if (value.artifacts !== undefined) task.artifacts = value.artifacts as StreamArtifact[];
  if (value.history !== undefined) task.history = (value.history as Json[]).map(readMessage);
  return task;
}

function readStatus(status: Json): { state: State; said?: Message; timestamp?: string } {
  const { state, message, timestamp } = status as { state: string; message?: Json; timestamp?: string };
  return {
    state: state.slice("TASK_STATE_".length).toLowerCase().replace("_", "-") as State,
    ...(message === undefined ? {} : { said: readMessage(message) }),
    ...(timestamp === undefined ? {} : { timestamp }),
  };
}

const readMessage = (value: Json): Message => {
  const { role, parts, ...rest } = value;
  return { ...rest, role: role === "ROLE_USER" ? "user" : "agent", parts: parts as Part[] } as Message;
};

function readPush(value: unknown): StoredPush {
  checkShape(V1, "TaskPushNotificationConfig", value);
  const { tenant: _tenant, ...push } = value as Json;
  return push as unknown as StoredPush;
}
