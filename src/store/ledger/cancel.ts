import { NuncioError, notFound } from "../../shared/errors.js";
import { newId } from "../../shared/ids.js";
import type { Cancel, Canceled } from "../../tasks/ledger.js";
import type { Artifact } from "../../tasks/message.js";
import type { TaskFact } from "../../tasks/task-event.js";
import { isTerminal } from "../../tasks/task-state.js";
import { all, type Command, type Effects, one, type Steps } from "../sql/command.js";
import { lockContextOf } from "../sql/locks.js";
import { sql } from "../sql/statement.js";
import { allows, moves } from "../sql/transition.js";
import { appendEvents } from "./append-events.js";
import { closeAll } from "./approvals/open.js";
import { holdTask } from "./find-task.js";
import { passLane } from "./lane.js";
import { loadSnapshot } from "./load-snapshot.js";
import { NEW_STATUS, TASK_COLUMNS, type TaskRow, toTask, UNFINISHED } from "./task-row.js";
import { stopAwaiting } from "./waits.js";
import { wakeAwaiters } from "./wake.js";

const unfinishedChildren = sql<TaskRow>(`SELECT ${TASK_COLUMNS} FROM tasks
  WHERE tenant = :tenant AND parent_id = :parentId AND ${UNFINISHED} ORDER BY id FOR UPDATE`);

const anyChildren = sql<{ id: string }>(
  `SELECT id FROM tasks WHERE tenant = :tenant AND parent_id = :parentId ORDER BY id`,
);

const toCanceled = sql<TaskRow>(`UPDATE tasks SET
    ${moves("cancel")}, waiting_for = NULL, asking_child_id = NULL, wake_at = NULL, blocked = 0,
    lease_owner = NULL, lease_until = NULL, artifacts = :artifacts, seq = seq + 1, updated_at = :now,
    ${NEW_STATUS}
  WHERE tenant = :tenant AND id = :id AND ${allows("cancel")}
  RETURNING ${TASK_COLUMNS}`);

/**
 * Ends a task and all its unfinished descendants. A running attempt is fenced by this commit: whatever it still
 * wants to write is refused, so that "canceled" is true when it is said.
 */
export const cancel: (tenant: string, command: Cancel) => Command<Canceled> = (tenant, command) =>
  function* (effects) {
    yield* lockContextOf(tenant, command.taskId);
    const row = yield* holdTask(tenant, command.taskId);
    if (row === undefined) throw notFound("task", command.taskId);
    if (isTerminal(row.state)) {
      throw new NuncioError("failed_precondition", `task ${row.id} has already ended: it is ${row.state}`, {
        reason: "TASK_NOT_CANCELABLE",
        details: { state: row.state },
      });
    }
    if (row.state === "waiting" && row.waiting_for === "approval" && command.operator !== true) {
      throw new NuncioError("failed_precondition", `task ${row.id} waits for an operator's approval`, {
        reason: "TASK_NOT_CANCELABLE",
        hint: "deny the approval instead",
      });
    }
    const canceled: CanceledRow[] = [];
    yield* cancelRow(row, command, canceled, effects);
    yield* cancelDescendants(row, command, canceled, effects);
    // Those among them await nobody any more: who is left is woken, and with that ceases to relay what they asked.
    for (const { ended } of canceled) yield* wakeAwaiters(ended, command.now, effects);
    return {
      task: toTask((canceled[0] as CanceledRow).ended),
      canceledIds: canceled.map(({ ended }) => ended.id),
      runningIds: canceled.filter(({ wasRunning }) => wasRunning).map(({ ended }) => ended.id),
    };
  };

interface CanceledRow {
  ended: TaskRow;
  wasRunning: boolean;
}

/** Through finished children as well: a child that has ended may have delegated work that goes on. */
function* cancelDescendants(row: TaskRow, command: Cancel, canceled: CanceledRow[], effects: Effects): Steps<void> {
  const parents = [row.id];
  for (let parentId = parents.pop(); parentId !== undefined; parentId = parents.pop()) {
    for (const child of yield* all(unfinishedChildren, { tenant: row.tenant, parentId })) {
      yield* cancelRow(child, command, canceled, effects);
    }
    for (const child of yield* all(anyChildren, { tenant: row.tenant, parentId })) parents.push(child.id);
  }
}

function* cancelRow(row: TaskRow, command: Cancel, canceled: CanceledRow[], effects: Effects): Steps<void> {
  const artifacts: Artifact[] = (yield* loadSnapshot(row)).artifacts;
  const { now, reason, operator } = command;
  const ended = yield* one(toCanceled, { tenant: row.tenant, id: row.id, artifacts: JSON.stringify(artifacts), now });
  if (ended === undefined) return;
  const fact: TaskFact = {
    type: "status",
    state: "canceled",
    message: { messageId: newId(), role: "agent", parts: [{ text: reason }] },
  };
  yield* appendEvents(ended, [fact], now, effects);
  if (operator === true) yield* closeAll(ended, "denied", reason, now);
  else yield* closeAll(ended, "canceled", null, now);
  yield* passLane(ended, effects);
  yield* stopAwaiting(ended);
  canceled.push({ ended, wasRunning: row.lease_owner !== null });
}
