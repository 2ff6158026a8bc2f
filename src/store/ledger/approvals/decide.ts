import { NuncioError, notFound } from "../../../shared/errors.js";
import type { Approval, DecideApproval } from "../../../tasks/approval-ledger.js";
import { decidedBelow } from "../../../tasks/approval-message.js";
import { type Command, one } from "../../sql/command.js";
import { lockContextOf } from "../../sql/locks.js";
import { sql } from "../../sql/statement.js";
import { requireTask } from "../find-task.js";
import { wake } from "../wake.js";
import { APPROVAL_COLUMNS, type ApprovalRow, toApproval } from "./approval-row.js";
import { byId } from "./find.js";
import { tellAwaiters } from "./tell.js";

const decideOpen = sql<ApprovalRow>(`UPDATE approvals SET decision = :decision, reason = :reason, decided_at = :now
  WHERE tenant = :tenant AND task_id = :taskId AND call_id = :callId AND digest = :digest
    AND decision IS NULL AND expires_at > :now
  RETURNING ${APPROVAL_COLUMNS}`);

/**
 * Of two decisions one is made, and the other hears of it. A task that waits goes on; one that is on its way to wait for
 * this sees there that it is decided.
 */
export const decide: (command: DecideApproval) => Command<Approval> = (command) =>
  function* (effects) {
    const { id, decision, now } = command;
    const seen = yield* one(byId, { id });
    if (seen === undefined) throw notFound("approval", id, "`nuncio approval list` shows those that wait");
    const { tenant, task_id: taskId, call_id: callId, digest } = seen;
    yield* lockContextOf(tenant, taskId);
    if (command.digest !== undefined && command.digest !== digest) throw changed(seen);
    // PostgreSQL holds no NUL in a text.
    const reason = command.reason?.replaceAll("\0", "\ufffd") ?? null;
    const decided = yield* one(decideOpen, { tenant, taskId, callId, digest, decision, reason, now });
    if (decided === undefined) throw alreadyDecided((yield* one(byId, { id })) ?? seen);
    const task = yield* requireTask(tenant, taskId);
    if (task.state === "waiting") {
      const asked = { persona: decided.persona, taskId, tool: decided.tool };
      yield* tellAwaiters(task, decidedBelow(asked, decision), now, effects);
      yield* wake(task, now, effects);
    }
    return toApproval(decided);
  };

const changed = ({ id, digest }: ApprovalRow): NuncioError =>
  new NuncioError("conflict", `approval ${id} is for other arguments than those with the digest that was given`, {
    reason: "APPROVAL_CHANGED",
    hint: `look at what it asks for: nuncio approval show ${id}`,
    details: { digest },
  });

const alreadyDecided = ({ id, decision, expires_at }: ApprovalRow): NuncioError =>
  new NuncioError("failed_precondition", `approval ${id} ${decision === null ? "has expired" : fateOf(decision)}`, {
    reason: "APPROVAL_DECIDED",
    hint: "`nuncio approval list` shows those that wait",
    details: { decision: decision ?? "expired", expiresAt: expires_at },
  });

const fateOf = (decision: NonNullable<Approval["decision"]>): string =>
  decision === "canceled"
    ? "is not needed any more: its task has ended, or asks for something else now"
    : decision === "expired"
      ? "has expired"
      : `is ${decision} already`;
