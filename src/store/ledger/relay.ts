import type { TaskFact } from "../../tasks/task-event.js";
import { type Effects, one, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { appendEvents } from "./append-events.js";
import { findTask } from "./find-task.js";
import { passLane } from "./lane.js";
import { loadSnapshot } from "./load-snapshot.js";
import { TASK_COLUMNS, type TaskRow } from "./task-row.js";

const changeWait = sql<TaskRow>(`UPDATE tasks SET
    waiting_for = :waitingFor, asking_child_id = :askingChildId, seq = seq + :facts, updated_at = :now
  WHERE tenant = :tenant AND id = :id AND state = 'waiting'
  RETURNING ${TASK_COLUMNS}`);

/**
 * A task that awaits one that stopped for input or auth stops for the same, and so does whoever awaits it, up to the
 * root: whoever reads any of them sees the question and may answer there.
 *
 * @returns the first awaiter as it stands now, when there is one that waits
 */
export function* relayQuestion(asking: TaskRow, now: number, effects: Effects): Steps<TaskRow | undefined> {
  if (asking.state !== "waiting" || (asking.waiting_for !== "input" && asking.waiting_for !== "auth")) return undefined;
  const leaf = asking.asking_child_id ?? asking.id;
  const question = (yield* loadSnapshot(asking)).statusMessage;
  let first: TaskRow | undefined;
  for (let id = asking.awaited_by; id !== null; ) {
    const awaiter = yield* findTask(asking.tenant, id);
    if (awaiter === undefined || awaiter.state !== "waiting" || awaiter.waiting_for !== "reply") break;
    const fact: TaskFact = { type: "status", state: "waiting", waitingFor: asking.waiting_for, childId: leaf };
    if (question !== null) fact.message = question;
    const moved = yield* one(changeWait, {
      tenant: awaiter.tenant,
      id,
      waitingFor: asking.waiting_for,
      askingChildId: leaf,
      facts: 1,
      now,
    });
    if (moved === undefined) break;
    yield* appendEvents(moved, [fact], now, effects);
    yield* passLane(moved, effects);
    first ??= moved;
    id = moved.awaited_by;
  }
  return first;
}

/** The question of `leaf` has been answered: those that relayed it wait for its reply again. */
export function* relayAnswer(leaf: TaskRow, now: number, effects: Effects): Steps<void> {
  for (let id = leaf.awaited_by; id !== null; ) {
    const awaiter = yield* findTask(leaf.tenant, id);
    if (awaiter === undefined || awaiter.state !== "waiting" || awaiter.asking_child_id !== leaf.id) return;
    const moved = yield* one(changeWait, {
      tenant: awaiter.tenant,
      id,
      waitingFor: "reply",
      askingChildId: null,
      facts: 1,
      now,
    });
    if (moved === undefined) return;
    yield* appendEvents(moved, [{ type: "status", state: "waiting", waitingFor: "reply" }], now, effects);
    id = moved.awaited_by;
  }
}
