import { NuncioError } from "../../shared/errors.js";
import { one, run, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";

const insertSubmission = sql(`INSERT INTO submissions
    (tenant, persona, principal, message_id, body_hash, task_id, at)
  VALUES (:tenant, :persona, :principal, :messageId, :bodyHash, :taskId, :now)
  ON CONFLICT DO NOTHING`);

const submissionOf = sql<{ task_id: string; body_hash: string }>(`SELECT task_id, body_hash FROM submissions
  WHERE tenant = :tenant AND persona = :persona AND principal = :principal AND message_id = :messageId`);

interface SentMessage {
  tenant: string;
  persona: string;
  principal: string;
  messageId: string;
  bodyHash: string;
}

/**
 * Records which task a message belongs to, and answers with the task that it made before, if it did.
 * Another body under the same id is a conflict.
 */
export function* takeMessageId(key: SentMessage & { taskId: string; now: number }): Steps<string | null> {
  const { tenant, persona, principal, messageId, bodyHash, taskId, now } = key;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const taken = yield* run(insertSubmission, { tenant, persona, principal, messageId, bodyHash, taskId, now });
    if (taken === 1) return null;
    const known = yield* taskOfMessage(key);
    if (known !== null) return known;
    // Forgotten between the two, as old messages are.
  }
  throw new Error("a message that is there can neither be taken nor read");
}

/** One would be enough: a message is forgotten once. */
const MOST_TRIES = 5;

/** The task that the message made before. Another body under the same id is a conflict. */
export function* taskOfMessage({ tenant, persona, principal, messageId, bodyHash }: SentMessage): Steps<string | null> {
  const known = yield* one(submissionOf, { tenant, persona, principal, messageId });
  if (known === undefined) return null;
  if (known.body_hash === bodyHash) return known.task_id;
  throw messageIdConflict(messageId);
}

/** The work was done once; what came of it is gone, and it is not done again. */
export const taskPurged = (messageId: string, taskId: string) =>
  new NuncioError("not_found", `the task of message ${JSON.stringify(messageId)} has ended and was purged`, {
    field: "message.messageId",
    reason: "TASK_PURGED",
    hint: "to have the work done again, send a message with another id",
    details: { taskId },
  });

export const messageIdConflict = (messageId: string) =>
  new NuncioError("conflict", `message ${JSON.stringify(messageId)} was sent before with another body`, {
    field: "message.messageId",
    reason: "MESSAGE_ID_CONFLICT",
    hint: "give each new message an id of its own; repeat a message exactly to get its task again",
  });
