import { messageOf, NuncioError } from "../../../shared/errors.js";
import { newId } from "../../../shared/ids.js";
import type { Artifact, Message, Part } from "../../../tasks/message.js";
import * as check from "../../protocol/check.js";
import { MAX_ITEMS } from "../bounds.js";
import { invalidAnswer } from "../errors.js";
import type { RemoteMessage, RemoteState, RemoteTask } from "../remote-task.js";

/** What differs between the versions in what an agent tells. */
export interface Reading {
  parts(value: unknown, field: string): Part[];
  role(value: unknown): Message["role"];
  state(value: unknown): RemoteState;
}

type Fields = Record<string, unknown>;

/** Runs a reader; what it finds wrong is the agent's mistake. */
export function answered<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!NuncioError.is(error, "invalid_argument")) throw error;
    throw invalidAnswer(`${error.field ?? "it"} ${messageOf(error)}`, error);
  }
}

/** An agent may have nothing to say in a chunk that is its last. */
const parts = (value: unknown, field: string, reading: Reading): Part[] =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)
    ? []
    : reading.parts(value, field);

function many<T>(value: unknown, field: string, read: (item: unknown, field: string) => T): T[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidAnswer(`${field} must be a list`);
  if (value.length > MAX_ITEMS) throw invalidAnswer(`${field} has more than ${MAX_ITEMS} items`);
  return value.map((item, at) => read(item, `${field}[${at}]`));
}

/** The id is ours where the agent gives none: nothing hangs on it. */
export function readMessage(value: unknown, field: string, reading: Reading): RemoteMessage {
  const given = check.object(value, field);
  const metadata = check.optionalStruct(given.metadata, `${field}.metadata`);
  const message: Message = {
    messageId: check.optionalId(given.messageId, `${field}.messageId`) ?? newId(),
    role: reading.role(given.role),
    parts: parts(given.parts, `${field}.parts`, reading),
    ...(metadata !== undefined && { metadata }),
  };
  return {
    message,
    taskId: check.optionalId(given.taskId, `${field}.taskId`) ?? null,
    contextId: check.optionalId(given.contextId, `${field}.contextId`) ?? null,
  };
}

const optionalMessage = (value: unknown, field: string, reading: Reading): Message | null =>
  value === undefined || value === null ? null : readMessage(value, field, reading).message;

export function readArtifact(value: unknown, field: string, reading: Reading): Artifact {
  const given = check.object(value, field);
  const name = check.optionalLabel(given.name, `${field}.name`);
  const description = check.optionalLabel(given.description, `${field}.description`, MAX_DESCRIPTION);
  const metadata = check.optionalStruct(given.metadata, `${field}.metadata`);
  return {
    artifactId: check.id(given.artifactId, `${field}.artifactId`),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    parts: parts(given.parts, `${field}.parts`, reading),
    ...(metadata !== undefined && { metadata }),
  };
}

const MAX_DESCRIPTION = 65_536;

export function readStatus(value: unknown, field: string, reading: Reading) {
  const given = check.object(value, field);
  return {
    state: reading.state(given.state),
    message: optionalMessage(given.message, `${field}.message`, reading),
  };
}

export function readTask(value: unknown, field: string, reading: Reading): RemoteTask {
  const given = check.object(value, field);
  const { state, message } = readStatus(given.status, `${field}.status`, reading);
  return {
    id: check.id(given.id, `${field}.id`),
    contextId: check.optionalId(given.contextId, `${field}.contextId`) ?? null,
    state,
    statusMessage: message,
    artifacts: many(given.artifacts, `${field}.artifacts`, (item, at) => readArtifact(item, at, reading)),
    history: many(given.history, `${field}.history`, (item, at) => readMessage(item, at, reading).message),
  };
}

/** The ids that every update of a task carries. */
export const idsOf = (given: Fields, field: string) => ({
  taskId: check.id(given.taskId, `${field}.taskId`),
  contextId: check.optionalId(given.contextId, `${field}.contextId`) ?? null,
});

export const flag = (value: unknown): boolean => value === true;
