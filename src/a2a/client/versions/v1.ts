import type { JsonObject, JsonValue } from "../../../shared/json.js";
import * as check from "../../protocol/check.js";
import { readStateV1 } from "../../protocol/states.js";
import { readParts } from "../../protocol/v1/parts.js";
import { invalidAnswer } from "../errors.js";
import type { RemoteAnswer, RemoteUpdate } from "../remote-task.js";
import { answered, flag, idsOf, type Reading, readArtifact, readMessage, readStatus, readTask } from "./read.js";
import type { Spelling } from "./spelling.js";

const READING: Reading = {
  parts: readParts,
  role: (value) => (value === "ROLE_USER" ? "user" : "agent"),
  state: (value) => readStateV1(value) ?? "TASK_STATE_UNSPECIFIED",
};

/** A2A 1.0: what a result is stands in the name of its one field (3.2.3). */
export const v1: Spelling = {
  // Our own parts have the shape of 1.0.
  sendParams: ({ message, contextId, taskId, waits, metadata }) => ({
    message: {
      ...(message as unknown as JsonObject),
      role: "ROLE_USER",
      ...(contextId !== undefined && { contextId }),
      ...(taskId !== undefined && { taskId }),
    } satisfies JsonValue,
    configuration: (waits ? {} : { returnImmediately: true }) as JsonObject,
    ...(metadata !== undefined && { metadata }),
  }),
  taskParams: (id, historyLength) => ({ id, ...(historyLength !== undefined && { historyLength }) }),
  readTask: (value) => answered(() => readTask(value, "result", READING)),
  readAnswer: (value) => answered(() => answerIn(value)),
  readUpdate: (value) => answered(() => updateIn(value)),
};

function answerIn(value: unknown): RemoteAnswer {
  const given = check.object(value, "result");
  const { task, message } = given;
  if (isSet(task) && !isSet(message)) return { type: "task", task: readTask(task, "result.task", READING) };
  if (isSet(message) && !isSet(task)) return { type: "message", ...readMessage(message, "result.message", READING) };
  throw invalidAnswer("result must have exactly one of task and message");
}

function updateIn(value: unknown): RemoteUpdate {
  const given = check.object(value, "result");
  if (isSet(given.statusUpdate)) {
    const update = check.object(given.statusUpdate, "result.statusUpdate");
    const status = readStatus(update.status, "result.statusUpdate.status", READING);
    return { type: "status", ...idsOf(update, "result.statusUpdate"), ...status, final: false };
  }
  if (isSet(given.artifactUpdate)) {
    const update = check.object(given.artifactUpdate, "result.artifactUpdate");
    return {
      type: "artifact",
      ...idsOf(update, "result.artifactUpdate"),
      artifact: readArtifact(update.artifact, "result.artifactUpdate.artifact", READING),
      append: flag(update.append),
      lastChunk: flag(update.lastChunk),
    };
  }
  return answerIn(given);
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;
