import { all, run, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { type MovedRow, TASK_COLUMNS, type TaskRow } from "./task-row.js";

/*
 * Who awaits whom. A row is there as long as a task is parked for the end of another: it goes when the awaiter is
 * woken or canceled, so that a task that ends, asks, or is answered finds exactly those who still wait for it.
 */

const insertWait = sql(`INSERT INTO waits (tenant, awaited_id, awaiter_id) VALUES (:tenant, :awaitedId, :awaiterId)
  ON CONFLICT DO NOTHING`);

const deleteWaits = sql(`DELETE FROM waits WHERE tenant = :tenant AND awaiter_id = :awaiterId`);

const selectAwaiters = sql<TaskRow>(`SELECT ${TASK_COLUMNS} FROM tasks
  WHERE tenant = :tenant AND id IN (SELECT awaiter_id FROM waits WHERE tenant = :tenant AND awaited_id = :awaitedId)
  ORDER BY id`);

export function* startAwaiting(tenant: string, awaiterId: string, awaitedIds: readonly string[]): Steps<void> {
  for (const awaitedId of awaitedIds) yield* run(insertWait, { tenant, awaitedId, awaiterId });
}

export function* stopAwaiting(awaiter: TaskRow): Steps<void> {
  yield* run(deleteWaits, { tenant: awaiter.tenant, awaiterId: awaiter.id });
}

export const awaitersOf = (awaited: MovedRow): Steps<TaskRow[]> =>
  all(selectAwaiters, { tenant: awaited.tenant, awaitedId: awaited.id });
