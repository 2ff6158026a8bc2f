import { askedBelow } from "../../../tasks/approval-message.js";
import type { Message } from "../../../tasks/message.js";
import type { TaskFact } from "../../../tasks/task-event.js";
import { type Effects, one, type Steps } from "../../sql/command.js";
import { sql } from "../../sql/statement.js";
import { allows } from "../../sql/transition.js";
import { appendEvents } from "../append-events.js";
import { NEW_STATUS, TASK_COLUMNS, type TaskRow } from "../task-row.js";
import { awaitersOf } from "../waits.js";
import { openBelow } from "./open.js";

/*
 * A task that awaits one for which the operator has to decide something goes on waiting for its reply, and says what it
 * is that takes so long: up to the root, whose caller knows of no other task.
 */

const say = sql<TaskRow>(`UPDATE tasks SET seq = seq + 1, updated_at = :now, ${NEW_STATUS}
  WHERE tenant = :tenant AND id = :id AND ${allows("relay")} AND waiting_for NOT IN ('input', 'auth')
  RETURNING ${TASK_COLUMNS}`);

/** Everybody who awaits the task says so, each once: two tasks may even await each other. */
export function* tellAwaiters(row: TaskRow, message: Message, now: number, effects: Effects): Steps<void> {
  const known = new Set([row.id]);
  const above = [row];
  for (let next = above.pop(); next !== undefined; next = above.pop()) {
    // Only what was delegated is ever awaited.
    if (next.parent_id === null) continue;
    for (const awaiter of yield* awaitersOf(next)) {
      if (known.has(awaiter.id)) continue;
      known.add(awaiter.id);
      yield* tell(awaiter, message, now, effects);
      above.push(awaiter);
    }
  }
}

/** The task has begun to await others, for which the operator may have to decide something already. */
export function* tellOfOpen(row: TaskRow, now: number, effects: Effects): Steps<TaskRow> {
  const [first] = (yield* openBelow(row, 20)).filter(({ task_id }) => task_id !== row.id);
  if (first === undefined) return row;
  const message = askedBelow({ persona: first.persona, taskId: first.task_id, tool: first.tool });
  const told = yield* tell(row, message, now, effects);
  yield* tellAwaiters(told, message, now, effects);
  return told;
}

/** A question to the caller, which the caller can answer, stays what is said. */
function* tell(row: TaskRow, message: Message, now: number, effects: Effects): Steps<TaskRow> {
  const told = yield* one(say, { tenant: row.tenant, id: row.id, now });
  if (told === undefined) return row;
  const fact: TaskFact = { type: "status", state: told.state, message };
  if (told.waiting_for !== null) fact.waitingFor = told.waiting_for;
  yield* appendEvents(told, [fact], now, effects);
  return told;
}
