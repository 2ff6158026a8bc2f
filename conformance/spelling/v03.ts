import { randomUUID } from "node:crypto";
import { checkShape, type Json } from "../shapes/check.js";
import { V03 } from "../shapes/v03.js";
import type {
  Artifact,
  Ask,
  Message,
  Operation,
  Part,
  PushConfig,
  Sent,
  State,
  StoredPush,
  StreamEvent,
  Task,
} from "../words.js";
import type { Dialect } from "./dialect.js";
import { edited, set, setOrAbsent } from "./edit.js";

/** A2A 0.3 over JSON-RPC: objects say in `kind` what they are. */
export const v03: Dialect = {
  version: "0.3",
  params: (operation, ask) => edited(set(spell(operation, ask)), ask),
  sent(value): Sent {
    checkShape(V03, "Sent", value);
    const given = value as Json;
    return given.kind === "message"
      ? { type: "message", message: readMessage(given) }
      : { type: "task", task: readTask(given) };
  },
  event(value) {
    checkShape(V03, "StreamEvent", value);
    return readEvent(value as Json);
  },
  task(value) {
    checkShape(V03, "Task", value);
    return readTask(value as Json);
  },
  page() {
    throw new Error("tasks/list is not an operation of 0.3 over JSON-RPC");
  },
  push: readPush,
  pushes(value) {
    if (!Array.isArray(value)) checkShape(V03, "TaskPushNotificationConfig", value);
    return (value as unknown[]).map(readPush);
  },
  card(value) {
    checkShape(V03, "AgentCard", value);
    return value as Json;
  },
};

function spell(operation: Operation, ask: Ask): Json {
  const { id, historyLength } = ask;
  switch (operation) {
    case "send":
    case "stream":
      return {
        message: spellMessage(ask),
        configuration: setOrAbsent({
          acceptedOutputModes: ask.acceptedOutputModes,
          pushNotificationConfig: ask.push === undefined ? undefined : spellPush(ask.push),
          historyLength,
          blocking: ask.blocking,
        }),
        metadata: ask.metadata,
      };
    case "get":
      return { id, historyLength, metadata: ask.metadata };
    case "cancel":
    case "subscribe":
    case "listPush":
      return { id, metadata: ask.metadata };
    case "createPush":
      return { taskId: id, pushNotificationConfig: ask.push === undefined ? undefined : spellPush(ask.push) };
    case "getPush":
    case "deletePush":
      return { id, pushNotificationConfigId: ask.pushId };
    case "list":
    case "extendedCard":
      return {};
  }
}

const spellMessage = (ask: Ask): Json =>
  set({
    kind: "message",
    messageId: ask.messageId ?? randomUUID(),
    contextId: ask.contextId,
    taskId: ask.taskId,
    role: "user",
    parts: (ask.parts ?? [{ text: ask.text ?? "hello" }]).map(spellPart),
    metadata: ask.messageMetadata,
    extensions: ask.extensions,
    referenceTaskIds: ask.referenceTaskIds,
  });

function spellPart({ text, raw, url, data, filename, mediaType, metadata }: Part): Json {
  if (text !== undefined) return set({ kind: "text", text, metadata });
  if (data !== undefined) return set({ kind: "data", data, metadata });
  return set({ kind: "file", file: set({ bytes: raw, uri: url, name: filename, mimeType: mediaType }), metadata });
}

export const spellPush = ({ id, url, token, authentication }: PushConfig): Json =>
  set({
    id,
    url,
    token,
    authentication:
      authentication === undefined
        ? undefined
        : set({ schemes: [authentication.scheme], credentials: authentication.credentials }),
  });

function readEvent(value: Json): StreamEvent {
  if (value.kind === "task") return { type: "task", task: readTask(value) };
  if (value.kind === "message") return { type: "message", message: readMessage(value) };
  const { taskId, contextId } = value as { taskId: string; contextId: string };
  if (value.kind === "status-update") {
    const { state, said } = readStatus(value.status as Json);
    const final = value.final as boolean;
    return { type: "status", taskId, contextId, state, final, ...(said === undefined ? {} : { said }) };
  }
  return {
    type: "artifact",
    taskId,
    contextId,
    artifact: readArtifact(value.artifact as Json),
    append: value.append === true,
    lastChunk: value.lastChunk === true,
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
  return {
    state: state as State,
    ...(message === undefined ? {} : { said: readMessage(message as Json) }),
    ...(timestamp === undefined ? {} : { timestamp: timestamp as string }),
  };
}

const readArtifact = (value: Json): Artifact =>
  ({ ...value, parts: (value.parts as Json[]).map(readPart) }) as unknown as Artifact;

const readMessage = ({ kind: _kind, parts, ...rest }: Json): Message =>
  ({ ...rest, parts: (parts as Json[]).map(readPart) }) as unknown as Message;

function readPart({ kind, text, data, file, metadata }: Json): Part {
  if (kind === "text") return set({ text, metadata }) as Part;
  if (kind === "data") return unwrapped(data as Json, metadata as Json | undefined);
  const { bytes, uri, name, mimeType } = file as Json;
  return set({ raw: bytes, url: uri, filename: name, mediaType: mimeType, metadata }) as Part;
}

/** Data that is no object travels in 0.3 as the official clients have it: in `value`, under a mark. */
export function unwrapped(data: Json, metadata: Json | undefined): Part {
  if (metadata?.data_part_compat !== true) return set({ data, metadata }) as Part;
  const { data_part_compat: _mark, ...rest } = metadata;
  return set({ data: data.value, metadata: Object.keys(rest).length === 0 ? undefined : rest }) as Part;
}

function readPush(value: unknown): StoredPush {
  checkShape(V03, "TaskPushNotificationConfig", value);
  const { taskId, pushNotificationConfig } = value as { taskId: string; pushNotificationConfig: Json };
  return { ...readPushConfig(pushNotificationConfig), taskId } as StoredPush;
}

export function readPushConfig({ authentication, ...push }: Json): Json {
  if (authentication === undefined) return push;
  const { schemes, credentials } = authentication as { schemes: string[]; credentials?: string };
  return { ...push, authentication: set({ scheme: schemes[0], credentials }) };
}
