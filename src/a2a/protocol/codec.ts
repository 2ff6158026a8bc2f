import type { Message } from "../../tasks/message.js";
import type { TaskSnapshot } from "../../tasks/task.js";
import type { TaskEvent } from "../../tasks/task-event.js";
import type {
  CreatePushRequest,
  ListPushRequest,
  PushConfig,
  PushRequest,
  SendRequest,
  TaskRequest,
} from "./requests.js";
import type { StateFacts } from "./states.js";
import * as v1Messages from "./v1/messages.js";
import * as v1Push from "./v1/push.js";
import * as v1Requests from "./v1/requests.js";
import * as v1 from "./v1/tasks.js";
import * as v03Messages from "./v03/messages.js";
import * as v03Push from "./v03/push.js";
import * as v03Requests from "./v03/requests.js";
import * as v03 from "./v03/tasks.js";
import type { ProtocolVersion } from "./version.js";

/** An event of a task as its caller sees it: the state as it then stands, which needs what went before. */
export interface VisibleUpdate {
  event: Exclude<TaskEvent, { type: "message" }>;
  facts: StateFacts;
  /** Nothing follows. */
  final: boolean;
}

/** One version of the protocol: how its requests are read, and its results written, as JSON text. */
export interface Codec {
  readSend(params: Record<string, unknown>): SendRequest;
  readTask(params: Record<string, unknown>): TaskRequest;
  readCreatePush(params: Record<string, unknown>): CreatePushRequest;
  /** Of the operations that get and delete one. */
  readPushKey(params: Record<string, unknown>): PushRequest;
  readListPush(params: Record<string, unknown>): ListPushRequest;
  /** Result of the operations that answer with a task. */
  task(task: TaskSnapshot, historyLength?: number): string;
  /** Result of sending a message. */
  sentTask(task: TaskSnapshot, historyLength?: number): string;
  sentMessage(message: Message, contextId: string): string;
  /** Results in a stream. */
  streamedTask(task: TaskSnapshot, historyLength?: number): string;
  streamedMessage(message: Message, contextId: string): string;
  streamedUpdate(task: v1.TaskIds, update: VisibleUpdate): string;
  push(config: PushConfig): string;
  pushes(configs: readonly PushConfig[], nextPageToken?: string): string;
  /** Result of deleting one, which says nothing. */
  readonly pushDeleted: string;
}

/** 1.0 says in a field of one name what the result is. */
const taskV1 = (task: TaskSnapshot, historyLength?: number): string => `{"task":${v1.writeTask(task, historyLength)}}`;
const messageV1 = (message: Message, contextId: string): string =>
  `{"message":${v1Messages.writeMessage(message, contextId)}}`;

const codecV1: Codec = {
  readSend: v1Requests.readSend,
  readTask: v1Requests.readTask,
  readCreatePush: v1Push.readCreatePush,
  readPushKey: v1Push.readPushKey,
  readListPush: v1Push.readListPush,
  task: v1.writeTask,
  sentTask: taskV1,
  sentMessage: messageV1,
  streamedTask: taskV1,
  streamedMessage: messageV1,
  streamedUpdate: (ids, { event, facts }) =>
    event.type === "status"
      ? `{"statusUpdate":${v1.writeStatusUpdate(ids, facts, event.message ?? null, event.at)}}`
      : `{"artifactUpdate":${v1.writeArtifactUpdate(ids, event.artifact, event.append, event.lastChunk)}}`,
  push: (config) => JSON.stringify(v1Push.writePush(config)),
  pushes: (configs, nextPageToken) => JSON.stringify(v1Push.writePushes(configs, nextPageToken)),
  // `google.protobuf.Empty`.
  pushDeleted: "{}",
};

const taskV03 = (task: TaskSnapshot, historyLength?: number): string =>
  JSON.stringify(v03.writeTask(task, historyLength));
const messageV03 = (message: Message, contextId: string): string =>
  JSON.stringify(v03Messages.writeMessage(message, contextId));

const codecV03: Codec = {
  readSend: v03Requests.readSend,
  readTask: v03Requests.readTask,
  readCreatePush: v03Push.readCreatePush,
  readPushKey: v03Push.readPushKey,
  readListPush: v03Push.readListPush,
  task: taskV03,
  sentTask: taskV03,
  sentMessage: messageV03,
  streamedTask: taskV03,
  streamedMessage: messageV03,
  streamedUpdate: (ids, { event, facts, final }) =>
    JSON.stringify(
      event.type === "status"
        ? v03.writeStatusUpdate(ids, facts, event.message ?? null, event.at, final)
        : v03.writeArtifactUpdate(ids, event.artifact, event.append, event.lastChunk),
    ),
  push: (config) => JSON.stringify(v03Push.writePush(config)),
  pushes: (configs) => JSON.stringify(v03Push.writePushes(configs)),
  // 7.8.
  pushDeleted: "null",
};

export const CODECS: Record<ProtocolVersion, Codec> = { "1.0": codecV1, "0.3": codecV03 };
