import { NuncioError } from "../../../shared/errors.js";
import type { NewPush, PushSubscription, SetPush } from "../../../tasks/push-ledger.js";
import { isTerminal } from "../../../tasks/task-state.js";
import { type Command, one, type Steps } from "../../sql/command.js";
import { lockContextOf } from "../../sql/locks.js";
import { sql } from "../../sql/statement.js";
import { requireTask } from "../find-task.js";
import type { TaskRow } from "../task-row.js";
import { PUSH_COLUMNS, type PushRow, toPush } from "./push-row.js";

/**
 * What replaces another one goes on where that one was; a sender that is at it loses its lease, since it may be telling
 * the wrong receiver.
 */
const put = sql<PushRow>(`INSERT INTO push_subscriptions (tenant, task_id, id, principal, version, origin, sealed,
    created_at, sent_seq, attempts, next_at, fence)
  VALUES (:tenant, :taskId, :id, :principal, :version, :origin, :sealed, :now, :sentSeq, 0, :clock, 0)
  ON CONFLICT (tenant, task_id, id) DO UPDATE SET
    version = excluded.version, origin = excluded.origin, sealed = excluded.sealed,
    sent_seq = CASE WHEN push_subscriptions.done_at IS NULL THEN push_subscriptions.sent_seq ELSE excluded.sent_seq END,
    attempts = 0, next_at = excluded.next_at, last_error = NULL, last_status = NULL, last_at = NULL,
    disabled_at = NULL, done_at = NULL, lease_owner = NULL, lease_until = NULL, fence = push_subscriptions.fence + 1
  RETURNING ${PUSH_COLUMNS}`);

const others = sql<{ count: number }>(`SELECT count(*) AS count FROM push_subscriptions
  WHERE tenant = :tenant AND task_id = :taskId AND id <> :id`);

export const setPush: (tenant: string, command: SetPush) => Command<PushSubscription> = (tenant, command) =>
  function* () {
    const { taskId, push, atMost, now } = command;
    yield* lockContextOf(tenant, taskId);
    const task = yield* requireTask(tenant, taskId);
    yield* refuseMore(task, push, atMost);
    // The end of a task that has ended is told: whoever asks for it may have asked a moment too late.
    const sentSeq = isTerminal(task.state) ? task.seq - 1 : task.seq;
    return toPush(yield* putPush(task, push, sentSeq, now));
  };

/** Within a command that holds the lock of the context, or has just made the task. */
export function* putPush(
  task: Pick<TaskRow, "tenant" | "id" | "principal">,
  push: NewPush,
  sentSeq: number,
  now: number,
): Steps<PushRow> {
  const { tenant, id: taskId, principal } = task;
  const { id, version, origin, sealed } = push;
  const row = yield* one(put, { tenant, taskId, id, principal, version, origin, sealed, sentSeq, now });
  return row as PushRow;
}

export function* refuseMore({ tenant, id: taskId }: TaskRow, { id }: NewPush, atMost: number): Steps<void> {
  const { count } = (yield* one(others, { tenant, taskId, id })) as { count: number };
  if (count < atMost) return;
  throw new NuncioError("limit_reached", `task ${taskId} has ${count} push notification configurations already`, {
    reason: "TOO_MANY_PUSH_CONFIGS",
    hint: "delete one of them, or set it anew under its own id",
    details: { taskId, atMost },
  });
}
