import type { ApprovalDecision } from "../../../tasks/approval-ledger.js";
import { all, one, run, type Steps } from "../../sql/command.js";
import { sql } from "../../sql/statement.js";
import { APPROVAL_COLUMNS, type ApprovalRow } from "./approval-row.js";

const OPEN = "tenant = :tenant AND task_id = :taskId AND decision IS NULL";

const any = sql<{ id: string }>(`SELECT id FROM approvals WHERE ${OPEN} LIMIT 1`);

const below = sql<ApprovalRow>(`WITH RECURSIVE asking (id) AS (
    SELECT id FROM tasks WHERE tenant = :tenant AND id = :taskId
    UNION SELECT awaited_id FROM asking CROSS JOIN waits WHERE tenant = :tenant AND awaiter_id = asking.id)
  SELECT ${APPROVAL_COLUMNS} FROM approvals
  WHERE tenant = :tenant AND task_id IN (SELECT id FROM asking) AND decision IS NULL
  ORDER BY id LIMIT :limit`);

const close = sql(`UPDATE approvals SET decision = :decision, reason = :reason, decided_at = :now WHERE ${OPEN}`);

const expire = sql<ApprovalRow>(`UPDATE approvals SET decision = 'expired', decided_at = :now
  WHERE ${OPEN} AND expires_at <= :now RETURNING ${APPROVAL_COLUMNS}`);

interface OfTask {
  tenant: string;
  id: string;
}

/** Whether the operator has something to decide for this task. */
export function* hasOpen({ tenant, id: taskId }: OfTask): Steps<boolean> {
  return (yield* one(any, { tenant, taskId })) !== undefined;
}

/** What the operator has to decide for this task and for those that it awaits, however far down; the oldest first. */
export const openBelow = ({ tenant, id: taskId }: OfTask, limit: number): Steps<ApprovalRow[]> =>
  all(below, { tenant, taskId, limit });

/** The task has ended: there is nothing to decide any more. */
export function* closeAll(
  { tenant, id: taskId }: OfTask,
  decision: Extract<ApprovalDecision, "canceled" | "denied">,
  reason: string | null,
  now: number,
): Steps<void> {
  yield* run(close, { tenant, taskId, decision, reason, now });
}

/** Those whose time is up. */
export const expireOpen = ({ tenant, id: taskId }: OfTask, now: number): Steps<ApprovalRow[]> =>
  all(expire, { tenant, taskId, now });
