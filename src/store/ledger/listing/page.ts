import type { ListedPage, ListedQuery, ListPosition, Standing } from "../../../tasks/ledger.js";
import type { TaskSnapshot } from "../../../tasks/task.js";
import { all, type Command, one, type Steps } from "../../sql/command.js";
import { type SqlParams, type Statement, sql } from "../../sql/statement.js";
import { TASK_COLUMNS, type TaskRow } from "../task-row.js";
import { loadListed } from "./listed-task.js";
import type { ListTotals } from "./totals.js";

/*
 * The list of a principal and the one of everybody each have an index in their order, so that a page reads as many
 * entries as it holds, whatever the list holds. What has not completed has one of its own: whoever asks for what failed, or
 * waits, must not have a million rows looked through. Where a context is given it is read as a whole and sorted. What
 * columns are compared with is written so that no database prefers an index that is not meant.
 */

const BEHIND = "(status_at, id) < (:beforeAt, :beforeId)";
const MATCHES = `status_at >= :since AND (CAST(:standings AS TEXT) IS NULL
    OR :standings LIKE '%,' || state || '/' || COALESCE(waiting_for, '') || '/' || started || ',%')`;

interface Lists {
  page: Statement<TaskRow>;
  count: Statement<{ total: number }>;
}

const lists = (where: string): Lists => ({
  page: sql<TaskRow>(`SELECT ${TASK_COLUMNS} FROM tasks WHERE tenant = :tenant AND ${where}
    AND ${BEHIND} AND ${MATCHES} ORDER BY status_at DESC, id DESC LIMIT :limit`),
  count: sql<{ total: number }>(`SELECT count(*) AS total FROM tasks WHERE tenant = :tenant AND ${where}
    AND ${MATCHES}`),
});

const own = lists("persona = :persona AND principal = :principal AND unlisted = 0");
const allTasks = lists("persona = :persona AND unlisted = 0");

const OPEN = "persona = :persona AND state <> 'completed' AND unlisted < 1";
const ownOpen = lists(`${OPEN} AND principal = :principal`);
const allOpen = lists(OPEN);

const OF_CONTEXT = "context_id = :contextId AND persona || '' = :persona AND unlisted + 0 = 0";
const ownOfContext = lists(`${OF_CONTEXT} AND principal || '' = :principal`);
const allOfContext = lists(OF_CONTEXT);

/** Behind which everything comes. */
const FRONT: ListPosition = { statusAt: Number.MAX_SAFE_INTEGER, id: "~" };

export const listPage: (tenant: string, query: ListedQuery, totals: ListTotals) => Command<ListedPage> = (
  tenant,
  query,
  totals,
) =>
  function* () {
    const { page } = listOf(query);
    const { statusAt, id } = query.after ?? FRONT;
    const filters = filtersOf(tenant, query);
    const rows = yield* all(page, { ...filters, beforeAt: statusAt, beforeId: id, limit: query.limit + 1 });
    const tasks: TaskSnapshot[] = [];
    let characters = 0;
    for (const row of rows.slice(0, query.limit)) {
      const listed = yield* loadListed(row, query);
      tasks.push(listed.task);
      characters += listed.characters;
      if (characters >= query.mostCharacters) break;
    }
    const last = rows[tasks.length - 1];
    const next = last !== undefined && rows.length > tasks.length ? { statusAt: last.status_at, id: last.id } : null;
    return { tasks, next, total: yield* totalOf(tenant, query, filters, totals) };
  };

function listOf({ principal, contextId, standings }: ListedQuery): Lists {
  if (contextId !== undefined) return principal === undefined ? allOfContext : ownOfContext;
  if (standings?.every(isOpen) === true) return principal === undefined ? allOpen : ownOpen;
  return principal === undefined ? allTasks : own;
}

const isOpen = ({ state }: Standing): boolean => state !== "completed";

function filtersOf(tenant: string, { persona, principal, contextId, standings, statusSince }: ListedQuery): SqlParams {
  return {
    tenant,
    persona,
    ...(principal === undefined ? {} : { principal }),
    ...(contextId === undefined ? {} : { contextId }),
    since: statusSince ?? 0,
    standings: standings === undefined ? null : `,${standings.map(written).join(",")},`,
  };
}

const written = ({ state, waitingFor, started }: Standing): string => `${state}/${waitingFor ?? ""}/${started ? 1 : 0}`;

function* totalOf(tenant: string, query: ListedQuery, filters: SqlParams, totals: ListTotals): Steps<number> {
  const { persona, principal, contextId, standings, statusSince, now } = query;
  if (contextId !== undefined) return yield* counted(listOf(query), filters);
  if (standings === undefined) {
    if (statusSince === undefined) return yield* totals.total(tenant, persona, principal, now);
    return yield* counted(listOf(query), filters);
  }
  if (standings.length === 0 || standings.some(isOpen)) return yield* counted(listOf(query), filters);
  // What has completed, which an attempt always has run for, is everything but what has not.
  const { standings: _, ...everything } = query;
  const all = yield* totalOf(tenant, everything, filtersOf(tenant, everything), totals);
  const open = principal === undefined ? allOpen : ownOpen;
  return all - (yield* counted(open, filtersOf(tenant, everything)));
}

function* counted({ count }: Lists, filters: SqlParams): Steps<number> {
  return (yield* one(count, filters))?.total ?? 0;
}
