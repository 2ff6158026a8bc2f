import { type Effects, one, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { allows } from "../sql/transition.js";
import { announce } from "./append-events.js";
import { MOVED_COLUMNS, type MovedRow, UNFINISHED } from "./task-row.js";

/*
 * Tasks of one lane run strictly one after another: also while one is in backoff or waits for a reply or an approval,
 * but not while it waits for input or auth. Whoever comes behind is `blocked`, which keeps it out of the index that
 * claims read; whoever leaves the lane unblocks the next, in the same transaction.
 */

/** In the words of the partial index `tasks_lane`, which is used only where they stand. */
const ALIVE = `lane IS NOT NULL AND ${UNFINISHED}`;

const HOLDS = `${ALIVE} AND blocked = 0
    AND (waiting_for IS NULL OR waiting_for NOT IN ('input', 'auth'))`;

const holder = sql(`SELECT id FROM tasks WHERE tenant = :tenant AND lane = :lane AND id <> :self AND ${HOLDS} LIMIT 1`);

const nextBlocked = sql<{ id: string }>(`SELECT id FROM tasks
  WHERE tenant = :tenant AND lane = :lane AND ${ALIVE} AND ${allows("claim")} AND blocked = 1
  ORDER BY id LIMIT 1`);

const unblock = sql<MovedRow>(`UPDATE tasks SET blocked = 0
  WHERE tenant = :tenant AND id = :id AND ${allows("claim")} RETURNING ${MOVED_COLUMNS}`);

/** Whether a task other than `self` holds the lane. */
export function* laneIsTaken(tenant: string, lane: string | null, self: string): Steps<boolean> {
  if (lane === null) return false;
  return (yield* one(holder, { tenant, lane, self })) !== undefined;
}

/** Called when a task has ended or stopped for input: if nobody holds its lane now, the next one may be claimed. */
export function* passLane(row: MovedRow, effects: Effects): Steps<void> {
  if (row.lane === null) return;
  const { tenant, lane } = row;
  // Mostly nobody is behind, and this one look is all.
  const next = yield* one(nextBlocked, { tenant, lane });
  if (next === undefined || (yield* laneIsTaken(tenant, lane, next.id))) return;
  const unblocked = yield* one(unblock, { tenant, id: next.id });
  if (unblocked !== undefined) announce(unblocked, effects);
}
