import { newId } from "../../shared/ids.js";
import type { Recover } from "../../tasks/ledger.js";
import type { Message } from "../../tasks/message.js";
import type { TaskFact } from "../../tasks/task-event.js";
import { all, type Command, type Effects, one, type Steps } from "../sql/command.js";
import { lockContextOf } from "../sql/locks.js";
import { sql } from "../sql/statement.js";
import { allows } from "../sql/transition.js";
import { appendEvents } from "./append-events.js";
import { addDeadLetter } from "./dead-letters.js";
import { holdTask } from "./find-task.js";
import { isFormatTooNew } from "./format.js";
import { passLane } from "./lane.js";
import { loadSnapshot } from "./load-snapshot.js";
import { TASK_COLUMNS, type TaskRow, UNFINISHED } from "./task-row.js";
import { wakeAwaiters } from "./wake.js";

/*
 * Found by walking over what is unfinished, in the two partial indexes that hold it and its state. An index on leases
 * would make this faster and every single task slower, and this is done at the start and now and then.
 */
const running = (condition: string) => `SELECT ${TASK_COLUMNS} FROM tasks
  WHERE lane IS NOT NULL AND ${UNFINISHED} AND ${allows("requeue")} AND ${condition}
  UNION ALL SELECT ${TASK_COLUMNS} FROM tasks
  WHERE lane IS NULL AND ${UNFINISHED} AND ${allows("requeue")} AND ${condition}
  LIMIT :limit`;

const expired = sql<TaskRow>(running("lease_until < :clock"));

const ofOthers = sql<TaskRow>(running("lease_owner <> :owner"));

const takeBack = sql<TaskRow>(`UPDATE tasks SET
    state = :state, run_at = created_at, artifacts = :artifacts,
    lease_owner = NULL, lease_until = NULL, seq = seq + 1, updated_at = :now
  WHERE tenant = :tenant AND id = :id AND fence = :fence AND ${allows("requeue")}
  RETURNING ${TASK_COLUMNS}`);

const isExpired = sql<{ id: string }>(`SELECT id FROM tasks
  WHERE tenant = :tenant AND id = :id AND lease_until < :clock`);

/**
 * Attempts whose worker seems to be gone: of others, when nobody else can be alive; else those whose lease has run out.
 * What runs in the asking process is not among them, whatever the clock says.
 */
export const findLost: (command: Recover) => Command<TaskRow[]> = ({ now, owner, alone, running, limit }) =>
  function* () {
    const rows = alone
      ? yield* all(ofOthers, { owner, limit })
      : yield* all(expired, { now, limit: limit + running.size });
    return rows.filter((row) => !(row.lease_owner === owner && running.has(row.id))).slice(0, limit);
  };

/**
 * Work whose worker is gone goes back to the queue; the lost attempt counts. With no attempt left the task has failed.
 * The next claim raises the fence, so that a worker that was only slow can change nothing any more.
 */
export const takeBackLost: (seen: TaskRow, command: Recover) => Command<"requeued" | "failed" | "kept"> = (
  seen,
  { now, alone },
) =>
  function* (effects) {
    const { tenant, id } = seen;
    yield* lockContextOf(tenant, id);
    const row = yield* holdTask(tenant, id);
    // Meanwhile it has ended, or gone to another worker, or its own was only slow and has extended the lease.
    if (row === undefined || row.fence !== seen.fence || row.lease_owner === null) return "kept";
    if (!alone && (yield* one(isExpired, { tenant, id, now })) === undefined) return "kept";
    if (row.attempt < row.max_attempts) {
      const moved = yield* move(row, now, { type: "status", state: "pending" }, effects);
      return moved === undefined ? "kept" : "requeued";
    }
    const message: Message = {
      messageId: newId(),
      role: "agent",
      parts: [{ text: `attempt ${row.attempt} of ${row.max_attempts} was interrupted, and no attempt is left` }],
    };
    const ended = yield* fail(row, now, message, effects);
    if (ended === undefined) return "kept";
    yield* addDeadLetter(tenant, id, message, now);
    yield* passLane(ended, effects);
    yield* wakeAwaiters(ended, now, effects);
    return "failed";
  };

/** Nothing happens to a task that a newer version has written to: that one will find it as it is. */
function* fail(row: TaskRow, now: number, message: Message, effects: Effects): Steps<TaskRow | undefined> {
  try {
    return yield* move(row, now, { type: "status", state: "failed", message }, effects);
  } catch (error) {
    if (isFormatTooNew(error)) return undefined;
    throw error;
  }
}

function* move(
  row: TaskRow,
  now: number,
  fact: TaskFact & { type: "status" },
  effects: Effects,
): Steps<TaskRow | undefined> {
  const artifacts = fact.state === "failed" ? JSON.stringify((yield* loadSnapshot(row)).artifacts) : null;
  const moved = yield* one(takeBack, {
    tenant: row.tenant,
    id: row.id,
    fence: row.fence,
    state: fact.state,
    artifacts,
    now,
  });
  if (moved !== undefined) yield* appendEvents(moved, [fact], now, effects);
  return moved;
}
