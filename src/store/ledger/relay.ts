import type { Message } from "../../tasks/message.js";
import type { TaskFact } from "../../tasks/task-event.js";
import { all, type Effects, one, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { allows } from "../sql/transition.js";
import { appendEvents } from "./append-events.js";
import { hasOpen } from "./approvals/open.js";
import { isFormatTooNew } from "./format.js";
import { passLane } from "./lane.js";
import { loadSnapshot } from "./load-snapshot.js";
import { NEW_STATUS, TASK_COLUMNS, type TaskRow } from "./task-row.js";
import { awaitersOf } from "./waits.js";

/*
 * A task that awaits one that has stopped for input or auth stops for the same, and so does whoever awaits it, up to
 * the root: whoever reads any of them sees the question and may answer there. When the question is gone, because it was
 * answered, or because nobody waits for it any more, they wait for a reply again, or show the next question.
 *
 * What a task shows is always computed from those that it awaits, so that there is one rule for all of these cases.
 */

const ASKS = `state = 'waiting' AND waiting_for IN ('input', 'auth')`;

/** The tasks whose questions reach this one: asked by those that it awaits, or relayed by them. */
const askingBelow = sql<TaskRow>(`SELECT ${TASK_COLUMNS} FROM tasks
  WHERE tenant = :tenant AND ${ASKS} AND asking_child_id IS NULL AND id IN (
    SELECT COALESCE(asking_child_id, id) FROM tasks WHERE tenant = :tenant AND ${ASKS} AND id IN (
      SELECT awaited_id FROM waits WHERE tenant = :tenant AND awaiter_id = :awaiterId))
  ORDER BY id`);

const changeWait = sql<TaskRow>(`UPDATE tasks SET
    waiting_for = :waitingFor, asking_child_id = :askingChildId, seq = seq + 1, updated_at = :now,
    ${NEW_STATUS}
  WHERE tenant = :tenant AND id = :id AND ${allows("relay")}
  RETURNING ${TASK_COLUMNS}`);

export const asks = (row: TaskRow): boolean =>
  row.state === "waiting" && (row.waiting_for === "input" || row.waiting_for === "auth");

/** Called when `row` has begun or ceased to ask, or to relay: whoever awaits it does the same. */
export function* relay(row: TaskRow, now: number, effects: Effects): Steps<void> {
  for (const awaiter of yield* awaitersOf(row)) yield* showQuestion(awaiter, now, effects);
}

/** A question that is shown stays until it is gone; of several the one of the oldest task comes first. */
export function* showQuestion(awaiter: TaskRow, now: number, effects: Effects): Steps<TaskRow> {
  const { tenant, id } = awaiter;
  const asking = yield* all(askingBelow, { tenant, awaiterId: id });
  const shown = asking.find((row) => row.id === awaiter.asking_child_id) ?? asking[0];
  const waitingFor = shown?.waiting_for ?? ((yield* hasOpen(awaiter)) ? "approval" : "reply");
  const askingChildId = shown?.id ?? null;
  if (awaiter.waiting_for === waitingFor && awaiter.asking_child_id === askingChildId) return awaiter;

  const moved = yield* one(changeWait, { tenant, id, waitingFor, askingChildId, now });
  if (moved === undefined) return awaiter;
  const fact: TaskFact = { type: "status", state: "waiting", waitingFor };
  if (shown !== undefined) {
    const question = yield* questionOf(shown);
    fact.childId = shown.id;
    if (question !== null) fact.message = question;
  }
  yield* appendEvents(moved, [fact], now, effects);
  yield* passLane(moved, effects);
  yield* relay(moved, now, effects);
  return moved;
}

/** What a task asks; null when a newer version has put it in words that are not known here. */
function* questionOf(row: TaskRow): Steps<Message | null> {
  try {
    return (yield* loadSnapshot(row)).statusMessage;
  } catch (error) {
    if (isFormatTooNew(error)) return null;
    throw error;
  }
}
