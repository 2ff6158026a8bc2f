import type { Dispatch } from "../../peers/dispatch.js";
import type { AnswerPeer } from "../../peers/peer-store.js";
import { refuseUsedUp } from "../../plans/refusals.js";
import { asDigest } from "../../shared/digest.js";
import { NuncioError } from "../../shared/errors.js";
import { answer } from "../ledger/answer.js";
import { findAssignedOfChild } from "../plans/find-plan.js";
import type { Command, Steps } from "../sql/command.js";
import { lockContextOf } from "../sql/locks.js";
import { addReceipt } from "./add-receipt.js";
import { changeDispatch, holdDispatch, withSends } from "./hold-dispatch.js";

/**
 * Wakes the task with the operator's answer, which its next attempt sends. Nothing is sent here: the invocation is taken
 * with the intent, and here is only seen to it that there is one.
 */
export const answerPeer: (command: AnswerPeer) => Command<Dispatch> = (command) =>
  function* (effects) {
    const { tenant, taskId, revision, message, principal, bodyHash, now } = command;
    yield* lockContextOf(tenant, taskId);
    yield* requireAllowance(tenant, taskId);
    const row = yield* holdDispatch(tenant, taskId);
    if (row.revision !== revision) throw staleRevision(taskId, revision, row.revision);
    if (row.state !== "accepted" || row.remote_task_id === null || row.remote_ended_at !== null) {
      throw new NuncioError("failed_precondition", `peer ${row.peer} does not wait for an answer`, {
        reason: "PEER_NOT_ASKING",
        hint: `\`nuncio a2a inspect ${taskId}\` shows what is known of it`,
      });
    }
    if (row.deadline_at !== null && row.deadline_at <= now) throw tooLate(taskId);
    yield* answer(tenant, { taskId, message, principal, bodyHash, now })(effects);
    const changed = yield* changeDispatch(row, {}, now);
    yield* addReceipt(command, "answer_given", { messageId: message.messageId, bodyDigest: asDigest(bodyHash) }, now);
    return yield* withSends(changed);
  };

const staleRevision = (taskId: string, given: number, known: number): NuncioError =>
  new NuncioError("conflict", `the dispatch of task ${taskId} has revision ${known}, not ${given}`, {
    reason: "DISPATCH_REVISION_STALE",
    hint: `look at it again: nuncio a2a inspect ${taskId}`,
    details: { revision: known },
  });

const tooLate = (taskId: string): NuncioError =>
  new NuncioError("failed_precondition", `the time that task ${taskId} had is up`, {
    reason: "DEADLINE_PASSED",
    hint: `end it with \`nuncio task cancel ${taskId}\``,
  });

function* requireAllowance(tenant: string, childId: string): Steps<void> {
  const found = yield* findAssignedOfChild(tenant, childId);
  if (found !== null) refuseUsedUp(found.plan, found.assignment);
}
