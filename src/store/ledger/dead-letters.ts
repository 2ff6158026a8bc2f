import { NuncioError, notFound } from "../../shared/errors.js";
import type { DeadLetter, Page, RetryDead, Submit, Submitted } from "../../tasks/ledger.js";
import { type Message, textOf } from "../../tasks/message.js";
import { laneOf } from "../../tasks/task.js";
import { all, type Command, one, run, type Steps } from "../sql/command.js";
import { lockContextOf } from "../sql/locks.js";
import { sql } from "../sql/statement.js";
import { createTask, findPlace } from "./create-task.js";
import { decodeCursor, encodeCursor } from "./cursor.js";
import { requireTask } from "./find-task.js";
import { loadEvents } from "./load-snapshot.js";
import type { QueueRoom } from "./queue-room.js";
import { TASK_COLUMNS, type TaskRow, toTask } from "./task-row.js";

const insertDead = sql(`INSERT INTO dead_letters (tenant, task_id, reason, at, retried_as)
  VALUES (:tenant, :taskId, :reason, :at, NULL)`);

const deadLetterOf = sql<{ retried_as: string | null }>(`SELECT retried_as FROM dead_letters
  WHERE tenant = :tenant AND task_id = :taskId`);

const markRetried = sql(`UPDATE dead_letters SET retried_as = :newId WHERE tenant = :tenant AND task_id = :taskId`);

type DeadRow = TaskRow & { reason: string; dead_at: number; retried_as: string | null };

const DEAD_TASKS = `SELECT ${TASK_COLUMNS.replace(/\b(tenant|id)\b/g, "t.$1")}, d.reason, d.at AS dead_at, d.retried_as
  FROM dead_letters d JOIN tasks t ON t.tenant = d.tenant AND t.id = d.task_id`;

const page = sql<DeadRow>(`${DEAD_TASKS} WHERE d.task_id < :before ORDER BY d.task_id DESC LIMIT :limit`);
const single = sql<DeadRow>(`${DEAD_TASKS} WHERE d.task_id = :taskId`);

const purgeOne = sql(`DELETE FROM dead_letters WHERE task_id = :taskId RETURNING task_id`);
const purgeAll = sql(`DELETE FROM dead_letters RETURNING task_id`);

export function* addDeadLetter(tenant: string, taskId: string, reason: Message, at: number): Steps<void> {
  // A program may have said anything, and PostgreSQL holds no NUL in a text. The task itself has it as it was said.
  yield* run(insertDead, { tenant, taskId, reason: textOf(reason).replaceAll("\0", "\ufffd"), at });
}

/** The failed task stays as it is; a new one that names it does the work again. Once: a second retry is a conflict. */
export const retryDead: (tenant: string, command: RetryDead, room: QueueRoom) => Command<Submitted> = (
  tenant,
  command,
  room,
) =>
  function* (effects) {
    const { taskId, newId: id, now } = command;
    yield* lockContextOf(tenant, taskId);
    const old = yield* requireTask(tenant, taskId);
    const dead = yield* one(deadLetterOf, { tenant, taskId });
    if (dead === undefined) {
      throw new NuncioError("failed_precondition", `task ${taskId} is not on the dead-letter list`, {
        hint: "`nuncio dlq list` shows what can be retried",
      });
    }
    if (dead.retried_as !== null) {
      throw new NuncioError("conflict", `task ${taskId} has been retried already, as ${dead.retried_as}`, {
        hint: `nuncio task show ${dead.retried_as}`,
      });
    }
    const first = (yield* loadEvents(tenant, taskId, { after: 0, limit: 1 }))[0];
    if (first?.type !== "message") throw new Error(`task ${taskId} does not begin with a message`);
    const again: Submit = {
      id,
      contextId: old.context_id,
      persona: old.persona,
      principal: old.principal,
      trigger: "retry",
      message: first.message,
      bodyHash: "",
      now,
      maxAttempts: old.max_attempts,
      // A delegated task had none; the new one has no parent that would still be running in the context.
      lane: old.lane ?? laneOf({ persona: old.persona, principal: old.principal, contextId: old.context_id }),
      hop: old.hop,
    };
    // The operator's decision is not turned away by a full queue; what is retried counts there like everything else.
    const place = yield* findPlace(tenant, id, again);
    if (place.offer === null) room.came(tenant, again.persona);
    const submitted = yield* createTask(tenant, id, again, place, null, effects, taskId);
    yield* run(markRetried, { tenant, taskId, newId: id });
    return submitted;
  };

type DeadQuery = { limit: number; cursor?: string; taskId?: string };

export const listDead: (query: DeadQuery) => Command<Page<DeadLetter>> = ({ limit, cursor, taskId }) =>
  function* () {
    if (taskId !== undefined) return { items: (yield* all(single, { taskId })).map(toDeadLetter), nextCursor: null };
    const before = cursor === undefined ? "~" : decodeCursor(cursor);
    const rows = yield* all(page, { before, limit: limit + 1 });
    const items = rows.slice(0, limit).map(toDeadLetter);
    const last = items.at(-1);
    return { items, nextCursor: rows.length > limit && last !== undefined ? encodeCursor(last.task.id) : null };
  };

const toDeadLetter = (row: DeadRow): DeadLetter => ({
  task: toTask(row),
  reason: row.reason,
  at: row.dead_at,
  retriedAs: row.retried_as,
});

export const purgeDead: (command: { taskId?: string }) => Command<{ purged: number }> = ({ taskId }) =>
  function* () {
    if (taskId === undefined) return { purged: (yield* all(purgeAll, {})).length };
    const purged = (yield* all(purgeOne, { taskId })).length;
    if (purged === 0) throw notFound("dead letter", taskId, "`nuncio dlq list` shows the dead letters");
    return { purged };
  };
