import type { Page, TaskCounts, TaskQuery } from "../../tasks/ledger.js";
import type { Task, TaskSnapshot } from "../../tasks/task.js";
import { all, type Command, one, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { decodeCursor, encodeCursor } from "./cursor.js";
import { loadSnapshot } from "./load-snapshot.js";
import { TASK_COLUMNS, type TaskRow, toTask, UNFINISHED } from "./task-row.js";

// PostgreSQL wants to know of what type a parameter is, and cannot tell from its being NULL.
const FILTERS = `(CAST(:state AS TEXT) IS NULL OR state = :state)
    AND (CAST(:persona AS TEXT) IS NULL OR persona = :persona)
    AND (CAST(:principal AS TEXT) IS NULL OR principal = :principal)`;

const newest = sql<TaskRow>(`SELECT ${TASK_COLUMNS} FROM tasks
  WHERE tenant = :tenant AND id < :before AND ${FILTERS} ORDER BY id DESC LIMIT :limit`);

const newestOfContext = sql<TaskRow>(`SELECT ${TASK_COLUMNS} FROM tasks
  WHERE tenant = :tenant AND context_id = :contextId AND id < :before AND ${FILTERS} ORDER BY id DESC LIMIT :limit`);

/** From tenant to tenant along the primary key: as many steps as there are tenants. */
const tenants = sql<{ tenant: string }>(`WITH RECURSIVE known (tenant) AS (
    SELECT min(tenant) FROM tasks
    UNION ALL
    SELECT (SELECT min(tasks.tenant) FROM tasks WHERE tasks.tenant > known.tenant) FROM known WHERE known.tenant IS NOT NULL)
  SELECT tenant FROM known WHERE tenant IS NOT NULL`);

const childrenOf = sql<TaskRow>(`SELECT ${TASK_COLUMNS} FROM tasks
  WHERE tenant = :tenant AND parent_id = :parentId ORDER BY id`);

const exists = sql<{ id: string }>(`SELECT id FROM tasks WHERE tenant = :tenant AND id = :id`);

const earlierTurns = sql<TaskRow>(`SELECT ${TASK_COLUMNS} FROM tasks
  WHERE tenant = :tenant AND context_id = :contextId AND id < :before AND persona = :persona
    AND principal = :principal AND hop = 0 AND state = 'completed'
  ORDER BY id DESC LIMIT :limit`);

/** The two partial indexes of what is unfinished, with a lane and without, hold each task once. */
const countStates = sql<{ state: string; count: number }>(`SELECT state, count(*) AS count FROM tasks
  WHERE lane IS NOT NULL AND ${UNFINISHED} GROUP BY state
  UNION ALL SELECT state, count(*) AS count FROM tasks
  WHERE lane IS NULL AND ${UNFINISHED} GROUP BY state`);

const countDead = sql<{ count: number }>(`SELECT count(*) AS count FROM dead_letters WHERE retried_as IS NULL`);

const tenantsOfTasks: Command<string[]> = function* () {
  return (yield* all(tenants, {})).map((row) => row.tenant);
};

export const listTasks: (tenant: string | undefined, query: TaskQuery) => Command<Page<Task>> = (tenant, query) =>
  function* (effects) {
    // Ids are hexadecimal, so that `~` sorts after all of them.
    const before = query.cursor === undefined ? "~" : decodeCursor(query.cursor);
    const known = tenant === undefined ? yield* tenantsOfTasks(effects) : [tenant];
    const rows: TaskRow[] = [];
    for (const each of known) rows.push(...(yield* newestOf(each, before, query)));
    if (known.length > 1) rows.sort((a, b) => (a.id < b.id ? 1 : -1));
    const items = rows.slice(0, query.limit).map(toTask);
    const last = items.at(-1);
    return { items, nextCursor: rows.length > query.limit && last !== undefined ? encodeCursor(last.id) : null };
  };

function* newestOf(tenant: string, before: string, query: TaskQuery): Steps<TaskRow[]> {
  const params = {
    tenant,
    before,
    state: query.state ?? null,
    persona: query.persona ?? null,
    principal: query.principal ?? null,
    limit: query.limit + 1,
  };
  if (query.contextId === undefined) return yield* all(newest, params);
  return yield* all(newestOfContext, { ...params, contextId: query.contextId });
}

export const listChildren: (tenant: string, parentId: string) => Command<Task[]> = (tenant, parentId) =>
  function* () {
    return (yield* all(childrenOf, { tenant, parentId })).map(toTask);
  };

export const findTenant: (id: string) => Command<string | null> = (id) =>
  function* (effects) {
    for (const tenant of yield* tenantsOfTasks(effects)) {
      if ((yield* one(exists, { tenant, id })) !== undefined) return tenant;
    }
    return null;
  };

export const loadConversation: (
  tenant: string,
  query: { contextId: string; persona: string; principal: string; before: string; limit: number },
) => Command<TaskSnapshot[]> = (tenant, query) =>
  function* () {
    const rows = yield* all(earlierTurns, { tenant, ...query });
    const snapshots: TaskSnapshot[] = [];
    for (const row of rows.reverse()) snapshots.push(yield* loadSnapshot(row));
    return snapshots;
  };

export const countTasks: Command<TaskCounts> = function* () {
  const counts: TaskCounts = { pending: 0, processing: 0, waiting: 0, dead: 0 };
  for (const { state, count } of yield* all(countStates, {})) {
    if (state === "pending") counts.pending += count;
    else if (state === "waiting") counts.waiting += count;
    else counts.processing += count;
  }
  counts.dead = (yield* one(countDead, {}))?.count ?? 0;
  return counts;
};
