import type { Dispatch } from "../../peers/dispatch.js";
import { notFound } from "../../shared/errors.js";
import { all, one, run, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { DISPATCH_COLUMNS, type DispatchRow, SEND_COLUMNS, type SendRow, toDispatch } from "./dispatch-row.js";

const byTask = sql<DispatchRow>(
  `SELECT ${DISPATCH_COLUMNS} FROM dispatches WHERE tenant = :tenant AND task_id = :taskId`,
);
const held = sql<DispatchRow>(
  `SELECT ${DISPATCH_COLUMNS} FROM dispatches WHERE tenant = :tenant AND task_id = :taskId FOR UPDATE`,
);
const sendsOf = sql<SendRow>(
  `SELECT ${SEND_COLUMNS} FROM dispatch_sends WHERE tenant = :tenant AND task_id = :taskId ORDER BY turn`,
);

/** Whoever holds the row may write it as a whole. */
const update = sql(`UPDATE dispatches SET
    revision = :revision, state = :state, remote_task_id = :remoteTaskId, remote_context_id = :remoteContextId,
    remote_state = :remoteState, remote_state_at = :remoteStateAt, remote_ended_at = :remoteEndedAt,
    local_ended_at = :localEndedAt, cancel_asked_at = :cancelAskedAt, cancel_answer = :cancelAnswer,
    cancel_answered_at = :cancelAnsweredAt, stream_opened_at = :streamOpenedAt, stream_closed_at = :streamClosedAt,
    stream_end = :streamEnd, deadline_passed_at = :deadlinePassedAt, holds_slot = :holdsSlot, result = :result,
    last_contact_at = :lastContactAt, last_error = :lastError, updated_at = :updatedAt
  WHERE tenant = :tenant AND task_id = :taskId`);

export function* findDispatch(tenant: string, taskId: string): Steps<Dispatch | null> {
  const row = yield* one(byTask, { tenant, taskId });
  return row === undefined ? null : yield* withSends(row);
}

export function* withSends(row: DispatchRow): Steps<Dispatch> {
  return toDispatch(row, yield* all(sendsOf, { tenant: row.tenant, taskId: row.task_id }));
}

/** Nobody else changes it, and nobody else numbers its receipts, until the transaction ends. */
export function* holdDispatch(tenant: string, taskId: string): Steps<DispatchRow> {
  const row = yield* one(held, { tenant, taskId });
  if (row === undefined) throw notFound("dispatch of task", taskId, "only tasks that a peer works on have one");
  return row;
}

/** Changes a row that is held, and counts that on. */
export function* changeDispatch(row: DispatchRow, change: Partial<DispatchRow>, now: number): Steps<DispatchRow> {
  const changed = { ...row, revision: row.revision + 1, ...change, updated_at: now };
  yield* run(update, {
    tenant: changed.tenant,
    taskId: changed.task_id,
    revision: changed.revision,
    state: changed.state,
    remoteTaskId: changed.remote_task_id,
    remoteContextId: changed.remote_context_id,
    remoteState: changed.remote_state,
    remoteStateAt: changed.remote_state_at,
    remoteEndedAt: changed.remote_ended_at,
    localEndedAt: changed.local_ended_at,
    cancelAskedAt: changed.cancel_asked_at,
    cancelAnswer: changed.cancel_answer,
    cancelAnsweredAt: changed.cancel_answered_at,
    streamOpenedAt: changed.stream_opened_at,
    streamClosedAt: changed.stream_closed_at,
    streamEnd: changed.stream_end,
    deadlinePassedAt: changed.deadline_passed_at,
    holdsSlot: changed.holds_slot,
    result: changed.result,
    lastContactAt: changed.last_contact_at,
    lastError: changed.last_error,
    updatedAt: changed.updated_at,
  });
  return changed;
}
