import { newId } from "../../shared/ids.js";
import type { Recover } from "../../tasks/ledger.js";
import type { Message } from "../../tasks/message.js";
import { next } from "../../tasks/task-state.js";
import { all, type Command, type Effects, one, run, type Steps } from "../sql/command.js";
import { lockContextOf } from "../sql/locks.js";
import { sql } from "../sql/statement.js";
import { allows, moves } from "../sql/transition.js";
import { appendEvents } from "./append-events.js";
import { closeAll } from "./approvals/open.js";
import { addDeadLetter } from "./dead-letters.js";
import { holdTask } from "./find-task.js";
import { isFormatTooNew } from "./format.js";
import { passLane } from "./lane.js";
import { loadSnapshot } from "./load-snapshot.js";
import { MOVED_COLUMNS, type MovedRow, NEW_STATUS, type TaskRow, UNFINISHED } from "./task-row.js";
import { wakeAwaiters } from "./wake.js";

type LostRow = MovedRow & Pick<TaskRow, "fence" | "attempt" | "max_attempts" | "lease_owner" | "created_at">;
const LOST_COLUMNS = `${MOVED_COLUMNS}, fence, attempt, max_attempts, lease_owner, created_at`;

/*
 * Found by walking over what is unfinished, in the two partial indexes that hold it and its state. An index on leases
 * would make this faster and every single task slower, and this is done at the start and now and then.
 */
const running = (condition: string) => `SELECT ${LOST_COLUMNS} FROM tasks
  WHERE lane IS NOT NULL AND ${UNFINISHED} AND ${allows("requeue")} AND ${condition}
  UNION ALL SELECT ${LOST_COLUMNS} FROM tasks
  WHERE lane IS NULL AND ${UNFINISHED} AND ${allows("requeue")} AND ${condition}
  LIMIT :limit`;

const expired = sql<LostRow>(running("lease_until < :clock"));

const ofOthers = sql<LostRow>(running("lease_owner <> :owner"));

/**
 * Nothing is read again: the number of the attempt and of the last event say whether the task still is what was found. One
 * whose worker has only been slow, and has said something meanwhile, is looked at another time.
 */
const requeue = sql(`UPDATE tasks SET
    ${moves("requeue")}, run_at = created_at, lease_owner = NULL, lease_until = NULL, seq = seq + 1, updated_at = :now,
    ${NEW_STATUS}
  WHERE tenant = :tenant AND id = :id AND fence = :fence AND seq = :seq AND ${allows("requeue")}
    AND (:alone = 1 OR lease_until < :clock)`);

const giveUp = sql<MovedRow>(`UPDATE tasks SET
    ${moves("fail")}, run_at = created_at, artifacts = :artifacts, lease_owner = NULL, lease_until = NULL,
    seq = seq + 1, updated_at = :now, ${NEW_STATUS}
  WHERE tenant = :tenant AND id = :id AND fence = :fence AND ${allows("fail")}
  RETURNING ${MOVED_COLUMNS}`);

const isExpired = sql<{ id: string }>(`SELECT id FROM tasks
  WHERE tenant = :tenant AND id = :id AND lease_until < :clock`);

/**
 * Attempts whose worker seems to be gone: of others, when nobody else can be alive; else those whose lease has run out.
 * What runs in the asking process is not among them, whatever the clock says.
 */
export const findLost: (command: Recover) => Command<LostRow[]> = ({ now, owner, alone, running, limit }) =>
  function* () {
    const rows = alone
      ? yield* all(ofOthers, { owner, limit })
      : yield* all(expired, { now, limit: limit + running.size });
    // In the order of the tables: what is taken back in one transaction then shares most of its pages.
    return rows
      .filter((row) => !(row.lease_owner === owner && running.has(row.id)))
      .slice(0, limit)
      .sort((a, b) => (a.tenant === b.tenant ? order(a.id, b.id) : order(a.tenant, b.tenant)));
  };

const order = (a: string, b: string): number => (a < b ? -1 : 1);

/**
 * Work whose worker is gone goes back to the queue; the lost attempt counts. With no attempt left the task has failed.
 * The next claim raises the fence, so that a worker that was only slow can change nothing any more.
 */
export const takeBackLost: (seen: LostRow, command: Recover) => Command<"requeued" | "failed" | "kept"> = (
  seen,
  { now, alone },
) =>
  function* (effects) {
    const { tenant, id, fence } = seen;
    yield* lockContextOf(tenant, id);
    if (seen.attempt < seen.max_attempts) {
      const changed = yield* run(requeue, { tenant, id, fence, seq: seen.seq, alone: alone ? 1 : 0, now });
      if (changed === 0) return "kept";
      const row = { ...seen, state: next(seen.state, "requeue"), run_at: seen.created_at, seq: seen.seq + 1 };
      yield* appendEvents(row, [{ type: "status", state: row.state }], now, effects);
      return "requeued";
    }
    const row = yield* holdTask(tenant, id);
    // Meanwhile it has ended, or gone to another worker, or its own was only slow and has extended the lease.
    if (row === undefined || row.fence !== fence || row.lease_owner === null) return "kept";
    if (!alone && (yield* one(isExpired, { tenant, id, now })) === undefined) return "kept";
    const message: Message = {
      messageId: newId(),
      role: "agent",
      parts: [{ text: `attempt ${row.attempt} of ${row.max_attempts} was interrupted, and no attempt is left` }],
    };
    const ended = yield* fail(row, now, message, effects);
    if (ended === undefined) return "kept";
    yield* addDeadLetter(tenant, id, message, now);
    yield* closeAll(ended, "canceled", null, now);
    yield* passLane(ended, effects);
    yield* wakeAwaiters(ended, now, effects);
    return "failed";
  };

/** Nothing happens to a task that a newer version has written to: that one will find it as it is. */
function* fail(row: TaskRow, now: number, message: Message, effects: Effects): Steps<MovedRow | undefined> {
  let artifacts: string;
  try {
    artifacts = JSON.stringify((yield* loadSnapshot(row)).artifacts);
  } catch (error) {
    if (isFormatTooNew(error)) return undefined;
    throw error;
  }
  const { tenant, id, fence } = row;
  const failed = yield* one(giveUp, { tenant, id, fence, artifacts, now });
  if (failed !== undefined) yield* appendEvents(failed, [{ type: "status", state: "failed", message }], now, effects);
  return failed;
}
