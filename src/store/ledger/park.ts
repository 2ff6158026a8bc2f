import { leaseLost } from "../../shared/errors.js";
import type { AttemptRecord } from "../../tasks/ledger.js";
import type { TaskFact } from "../../tasks/task-event.js";
import { isTerminal, type WaitReason } from "../../tasks/task-state.js";
import { type Effects, one, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { moves } from "../sql/transition.js";
import { appendEvents } from "./append-events.js";
import { tellOfOpen } from "./approvals/tell.js";
import { findTask } from "./find-task.js";
import { factsOf, OWNED, ownedBy, writeSteps } from "./record-attempt.js";
import { asks, showQuestion } from "./relay.js";
import { NEW_STATUS, TASK_COLUMNS, type TaskRow } from "./task-row.js";
import { startAwaiting } from "./waits.js";
import { wake } from "./wake.js";

const toWaiting = sql<TaskRow>(`UPDATE tasks SET
    ${moves("park")}, waiting_for = :waitingFor, asking_child_id = :askingChildId, wake_at = :wakeAt,
    lease_owner = NULL, lease_until = NULL, seq = seq + :facts, updated_at = :now, started = 1, ${NEW_STATUS},
    input_tokens = input_tokens + :inputTokens, output_tokens = output_tokens + :outputTokens
  WHERE ${OWNED}
  RETURNING ${TASK_COLUMNS}`);

/** Ends an attempt by waiting; nothing of it is left but what is recorded here. */
export function* park(
  record: AttemptRecord,
  wait: { for: WaitReason; wakeAt: number | null; askingChildId: string | null },
  fact: TaskFact,
  effects: Effects,
): Steps<TaskRow> {
  const facts = [...factsOf(record), fact];
  const row = yield* one(toWaiting, {
    ...ownedBy(record),
    waitingFor: wait.for,
    askingChildId: wait.askingChildId,
    wakeAt: wait.wakeAt,
    facts: facts.length,
  });
  if (row === undefined) throw leaseLost(record.lease.taskId);
  yield* writeSteps(record);
  yield* appendEvents(row, facts, record.now, effects);
  return row;
}

/** Waits until one of the tasks has ended, or `until`. The `newId` is about to be made in this transaction. */
export function* parkOn(
  record: AttemptRecord,
  wait: { taskIds: readonly string[]; until: number; newId?: string },
  effects: Effects,
): Steps<TaskRow> {
  const row = yield* park(
    record,
    { for: "reply", wakeAt: wait.until, askingChildId: null },
    { type: "status", state: "waiting", waitingFor: "reply" },
    effects,
  );
  return yield* awaitTasks(row, wait, record.now, effects);
}

/** A parked task waits for the end of these as well; it goes on at once when one of them has ended. */
export function* awaitTasks(
  row: TaskRow,
  wait: { taskIds: readonly string[]; newId?: string },
  now: number,
  effects: Effects,
): Steps<TaskRow> {
  let asking = false;
  let waiting = false;
  for (const id of wait.taskIds) {
    const awaited = yield* findTask(row.tenant, id);
    if (awaited === undefined && id === wait.newId) continue;
    // It ended while the parent was on its way here, and may have been purged since.
    if (awaited === undefined || isTerminal(awaited.state)) return (yield* wake(row, now, effects))?.row ?? row;
    asking ||= asks(awaited);
    waiting ||= awaited.state === "waiting";
  }
  yield* startAwaiting(row.tenant, row.id, wait.taskIds);
  const shown = asking ? yield* showQuestion(row, now, effects) : row;
  return waiting ? yield* tellOfOpen(shown, now, effects) : shown;
}
