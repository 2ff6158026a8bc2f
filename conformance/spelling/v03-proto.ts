import { randomUUID } from "node:crypto";
import { deviates } from "../deviation.js";
import { checkShape, type Json } from "../shapes/check.js";
import { V03 } from "../shapes/v03.js";
import { V03_PROTO } from "../shapes/v03-proto.js";
import type { Artifact, Ask, Message, Operation, Part, Sent, State, StoredPush, StreamEvent, Task } from "../words.js";
import type { Dialect } from "./dialect.js";
import { edited, set, setOrAbsent } from "./edit.js";
import { readPushConfig, spellPush, unwrapped } from "./v03.js";

/** A2A 0.3 over gRPC and HTTP+JSON: the protobuf messages, as the official clients of that version send them. */
export const v03Proto: Dialect = {
  version: "0.3",
  params: (operation, ask) => edited(set(spell(operation, ask)), ask, pathOf),
  sent(value): Sent {
    checkShape(V03_PROTO, "SendMessageResponse", value);
    const { task, message } = value as Json;
    return task === undefined
      ? { type: "message", message: readMessage(message as Json) }
      : { type: "task", task: readTask(task as Json) };
  },
  event(value) {
    checkShape(V03_PROTO, "StreamResponse", value);
    return readEvent(value as Json);
  },
  task(value) {
    checkShape(V03_PROTO, "Task", value);
    return readTask(value as Json);
  },
  /** 7.4: a list of tasks, without pages. */
  page(value) {
    if (!Array.isArray(value)) deviates("tasks/list", "must be a list of tasks");
    const tasks = (value as unknown[]).map((task) => v03Proto.task(task));
    return { tasks, nextPageToken: "", pageSize: tasks.length, totalSize: tasks.length };
  },
  push: readPush,
  pushes(value) {
    checkShape(V03_PROTO, "ListTaskPushNotificationConfigResponse", value);
    return (((value as Json).configs ?? []) as unknown[]).map(readPush);
  },
  card: readCard,
};

/** Where the fields of 1.0 stand in this spelling. */
const pathOf = (path: string): string => (path === "message.parts" ? "message.content" : path === "id" ? "name" : path);

function spell(operation: Operation, ask: Ask): Json {
  const name = ask.id === undefined ? undefined : `tasks/${ask.id}`;
  const config = `${name}/pushNotificationConfigs/${ask.pushId}`;
  switch (operation) {
    case "send":
    case "stream":
      return {
        message: spellMessage(ask),
        configuration: setOrAbsent({
          acceptedOutputModes: ask.acceptedOutputModes,
          pushNotification: ask.push === undefined ? undefined : spellPush(ask.push),
          historyLength: ask.historyLength,
          blocking: ask.blocking,
        }),
        metadata: ask.metadata,
      };
    case "get":
      return { name, historyLength: ask.historyLength };
    case "cancel":
    case "subscribe":
      return { name };
    case "createPush": {
      const id = ask.push?.id ?? randomUUID();
      return {
        parent: name,
        configId: id,
        config: set({
          name: `${name}/pushNotificationConfigs/${id}`,
          pushNotificationConfig: ask.push === undefined ? undefined : spellPush({ ...ask.push, id }),
        }),
      };
    }
    case "getPush":
    case "deletePush":
      return { name: config };
    case "listPush":
      return { parent: name };
    case "list":
    case "extendedCard":
      return {};
  }
}

const spellMessage = (ask: Ask): Json =>
  set({
    messageId: ask.messageId ?? randomUUID(),
    contextId: ask.contextId,
    taskId: ask.taskId,
    role: "ROLE_USER",
    content: (ask.parts ?? [{ text: ask.text ?? "hello" }]).map(spellPart),
    metadata: ask.messageMetadata,
    extensions: ask.extensions,
  });

function spellPart({ text, raw, url, data, filename, mediaType, metadata }: Part): Json {
  if (text !== undefined) return set({ text, metadata });
  if (data !== undefined) return set({ data: { data }, metadata });
  const file = set({ fileWithBytes: raw, fileWithUri: url, mimeType: mediaType, name: filename });
  return set({ file, metadata });
}

function readEvent(value: Json): StreamEvent {
  if (value.task !== undefined) return { type: "task", task: readTask(value.task as Json) };
  if (value.message !== undefined) return { type: "message", message: readMessage(value.message as Json) };
  if (value.statusUpdate !== undefined) {
    const update = value.statusUpdate as { taskId: string; contextId: string; status: Json; final?: boolean };
    const { state, said } = readStatus(update.status);
    const { taskId, contextId, final = false } = update;
    return { type: "status", taskId, contextId, state, final, ...(said === undefined ? {} : { said }) };
  }
  const { taskId, contextId, artifact, append, lastChunk } = value.artifactUpdate as Json;
  return {
    type: "artifact",
    taskId: taskId as string,
    contextId: contextId as string,
    artifact: readArtifact(artifact as Json),
    append: append === true,
    lastChunk: lastChunk === true,
  };
}

function readTask(value: Json): Task {
  const { state, said, timestamp } = readStatus(value.status as Json);
  const task: Task = { id: value.id as string, contextId: value.contextId as string, state };
  if (said !== undefined) task.said = said;
  if (timestamp !== undefined) task.timestamp = timestamp;
  if (value.artifacts !== undefined) task.artifacts = (value.artifacts as Json[]).map(readArtifact);
  if (value.history !== undefined) task.history = (value.history as Json[]).map(readMessage);
  return task;
}

function readStatus({ state, message, timestamp }: Json): { state: State; said?: Message; timestamp?: string } {
  const spelled = (state as string).slice("TASK_STATE_".length).toLowerCase().replace("_", "-");
  return {
    state: (spelled === "cancelled" ? "canceled" : spelled) as State, // cspell:disable-line
    ...(message === undefined ? {} : { said: readMessage(message as Json) }),
    ...(timestamp === undefined ? {} : { timestamp: timestamp as string }),
  };
}

const readArtifact = (value: Json): Artifact =>
  ({ ...value, parts: (value.parts as Json[]).map(readPart) }) as unknown as Artifact;

const readMessage = ({ role, content, ...rest }: Json): Message =>
  ({
    ...rest,
    role: role === "ROLE_USER" ? "user" : "agent",
    parts: (content as Json[]).map(readPart),
  }) as unknown as Message;

function readPart({ text, file, data, metadata }: Json): Part {
  if (text !== undefined) return set({ text, metadata }) as Part;
  if (data !== undefined) return unwrapped((data as { data: Json }).data, metadata as Json | undefined);
  const { fileWithBytes, fileWithUri, name, mimeType } = file as Json;
  return set({ raw: fileWithBytes, url: fileWithUri, filename: name, mediaType: mimeType, metadata }) as Part;
}

const CONFIG_NAME = /^tasks\/([^/]+)\/pushNotificationConfigs\/([^/]+)$/;

function readPush(value: unknown): StoredPush {
  checkShape(V03_PROTO, "TaskPushNotificationConfig", value);
  const { name, pushNotificationConfig } = value as { name: string; pushNotificationConfig: Json };
  const [, taskId, id] =
    CONFIG_NAME.exec(name) ?? deviates("name", `${name} is not tasks/{id}/pushNotificationConfigs/{id}`);
  return { id, ...readPushConfig(pushNotificationConfig), taskId } as unknown as StoredPush;
}

/**
 * Over gRPC the protobuf message. Over HTTP+JSON the two official clients read the schemes of security otherwise, one as
 * OpenAPI has them and one as the message has them: a card may have both.
 */
function readCard(value: unknown): Json {
  const card = value as Json;
  const schemes = (card?.securitySchemes ?? {}) as Record<string, Json>;
  if (!Object.values(schemes).some(({ type }) => type !== undefined)) {
    checkShape(V03_PROTO, "AgentCard", card);
    return card;
  }
  const openApi = Object.entries(schemes).map(([name, scheme]) => [
    name,
    Object.fromEntries(Object.entries(scheme).filter(([key]) => !key.endsWith("SecurityScheme"))),
  ]);
  checkShape(V03, "AgentCard", { ...card, securitySchemes: Object.fromEntries(openApi) });
  return card;
}
