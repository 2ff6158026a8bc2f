import type { TaskKey } from "../../../tasks/ledger.js";
import { type Command, run, type Steps } from "../../sql/command.js";
import { sql } from "../../sql/statement.js";
import { ENDED } from "../task-row.js";

/** So many events go in one transaction, which takes a few milliseconds. */
export const EVENTS_AT_ONCE = 1000;

const mark = sql(`UPDATE tasks SET compacted = 1 WHERE tenant = :tenant AND id = :taskId AND ${ENDED}`);

const deletePieces = sql(`DELETE FROM events WHERE tenant = :tenant AND task_id = :taskId AND seq IN (
    SELECT seq FROM events WHERE tenant = :tenant AND task_id = :taskId AND type = 'artifact' ORDER BY seq LIMIT :limit)`);

/**
 * Readers believe the mark: it comes with the first piece that goes. If we die before the last one, what is left goes
 * when the task is purged.
 */
export const compact: (task: TaskKey) => Command<{ compacted: boolean; more: boolean }> = ({ tenant, taskId }) =>
  function* () {
    const marked = yield* run(mark, { tenant, taskId });
    if (marked === 0) return { compacted: false, more: false };
    return { compacted: true, more: (yield* removePieces(tenant, taskId, EVENTS_AT_ONCE)) === EVENTS_AT_ONCE };
  };

/** Deletes at most `limit` artifact events of a task that is marked, and says how many. */
export const removePieces = (tenant: string, taskId: string, limit: number): Steps<number> =>
  run(deletePieces, { tenant, taskId, limit });

export const markCompacted = (tenant: string, taskId: string): Steps<number> => run(mark, { tenant, taskId });
