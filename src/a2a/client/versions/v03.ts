import type { JsonValue } from "../../../shared/json.js";
import * as check from "../../protocol/check.js";
import { readStateV03 } from "../../protocol/states.js";
import { readParts, writePart } from "../../protocol/v03/parts.js";
import { invalidAnswer } from "../errors.js";
import type { RemoteAnswer, RemoteUpdate } from "../remote-task.js";
import { answered, flag, idsOf, type Reading, readArtifact, readMessage, readStatus, readTask } from "./read.js";
import type { Spelling } from "./spelling.js";

const READING: Reading = {
  parts: readParts,
  role: (value) => (value === "user" ? "user" : "agent"),
  state: (value) => readStateV03(value) ?? "TASK_STATE_UNSPECIFIED",
};

/** A2A 0.3: what a result is stands in its `kind` (7). */
export const v03: Spelling = {
  sendParams: ({ message, contextId, taskId, waits, metadata }) => {
    const { parts, metadata: own, extensions, referenceTaskIds, messageId } = message;
    return {
      message: {
        kind: "message",
        role: "user",
        messageId,
        parts: parts.map((part) => writePart(part) as JsonValue),
        ...(contextId !== undefined && { contextId }),
        ...(taskId !== undefined && { taskId }),
        ...(own !== undefined && { metadata: own }),
        ...(extensions !== undefined && { extensions }),
        ...(referenceTaskIds !== undefined && { referenceTaskIds }),
      },
      configuration: { blocking: waits },
      ...(metadata !== undefined && { metadata }),
    };
  },
  taskParams: (id, historyLength) => ({ id, ...(historyLength !== undefined && { historyLength }) }),
  readTask: (value) => answered(() => readTask(value, "result", READING)),
  readAnswer: (value) => answered(() => answerIn(value)),
  readUpdate: (value) => answered(() => updateIn(value)),
};

function answerIn(value: unknown): RemoteAnswer {
  const given = check.object(value, "result");
  const kind = given.kind ?? kindOf(given);
  if (kind === "task") return { type: "task", task: readTask(given, "result", READING) };
  if (kind === "message") return { type: "message", ...readMessage(given, "result", READING) };
  throw invalidAnswer("result.kind must be task or message");
}

/** Some agents leave the discriminator out. What is neither must not be taken for an answer in which nothing is said. */
function kindOf({ status, parts }: Record<string, unknown>): string | undefined {
  if (status !== undefined) return "task";
  return Array.isArray(parts) ? "message" : undefined;
}

function updateIn(value: unknown): RemoteUpdate {
  const given = check.object(value, "result");
  if (given.kind === "status-update") {
    const status = readStatus(given.status, "result.status", READING);
    return { type: "status", ...idsOf(given, "result"), ...status, final: flag(given.final) };
  }
  if (given.kind === "artifact-update") {
    return {
      type: "artifact",
      ...idsOf(given, "result"),
      artifact: readArtifact(given.artifact, "result.artifact", READING),
      append: flag(given.append),
      lastChunk: flag(given.lastChunk),
    };
  }
  return answerIn(given);
}
