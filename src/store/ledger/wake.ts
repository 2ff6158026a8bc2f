import type { Claim, ClaimOffer } from "../../tasks/ledger.js";
import type { TaskFact } from "../../tasks/task-event.js";
import { all, type Command, type Effects, one, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { appendEvents } from "./append-events.js";
import { takeOffer } from "./claim.js";
import { laneIsTaken } from "./lane.js";
import { asks, relay } from "./relay.js";
import { type MovedRow, TASK_COLUMNS, type TaskRow } from "./task-row.js";
import { awaitersOf, stopAwaiting } from "./waits.js";

const toPending = sql<TaskRow>(`UPDATE tasks SET
    state = 'pending', waiting_for = NULL, asking_child_id = NULL, wake_at = NULL, resuming = 1, blocked = :blocked,
    turn = turn + :turns, run_at = created_at, seq = seq + :facts, updated_at = :now
  WHERE tenant = :tenant AND id = :id AND state = 'waiting'
  RETURNING ${TASK_COLUMNS}`);

const due = sql<TaskRow>(`SELECT ${TASK_COLUMNS} FROM tasks
  WHERE wake_at IS NOT NULL AND wake_at <= :now ORDER BY wake_at LIMIT :limit`);

const nextDue = sql<{ wake_at: number }>(
  `SELECT wake_at FROM tasks WHERE wake_at IS NOT NULL ORDER BY wake_at LIMIT 1`,
);

const PENDING: TaskFact = { type: "status", state: "pending" };

/**
 * A waiting task goes back to the queue, to the place that its age gives it, and continues its attempt. It awaits
 * nobody any more, and what it asked or relayed is gone. `before` are facts that explain why.
 */
export function* wake(
  row: TaskRow,
  now: number,
  effects: Effects,
  before: readonly TaskFact[] = [],
): Steps<TaskRow | undefined> {
  const blocked = yield* laneIsTaken(row.tenant, row.lane, row.id);
  const facts = [...before, PENDING];
  const woken = yield* one(toPending, {
    tenant: row.tenant,
    id: row.id,
    blocked: blocked ? 1 : 0,
    turns: before.some((fact) => fact.type === "message") ? 1 : 0,
    facts: facts.length,
    now,
  });
  if (woken === undefined) return undefined;
  yield* appendEvents(woken, facts, now, effects);
  yield* stopAwaiting(woken);
  if (asks(row)) yield* relay(woken, now, effects);
  return woken;
}

/** Whoever awaits `ended` is woken; the first of them is claimed at once when the offer allows it. */
export function* wakeAwaiters(
  ended: MovedRow,
  now: number,
  effects: Effects,
  offer?: ClaimOffer,
): Steps<Claim | undefined> {
  // Only what was delegated is ever awaited.
  if (ended.parent_id === null) return undefined;
  let claim: Claim | undefined;
  for (const awaiter of yield* awaitersOf(ended)) {
    const woken = yield* wake(awaiter, now, effects);
    if (woken !== undefined && offer !== undefined) claim ??= yield* takeOffer(woken, offer, now, effects);
  }
  return claim;
}

export const wakeDue: (command: { now: number; limit: number }) => Command<{ woken: number; nextAt: number | null }> =
  ({ now, limit }) =>
    function* (effects) {
      const rows = yield* all(due, { now, limit });
      for (const row of rows) yield* wake(row, now, effects);
      const next = yield* one(nextDue, {});
      return { woken: rows.length, nextAt: next?.wake_at ?? null };
    };
