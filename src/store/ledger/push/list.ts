import { invalidArgument } from "../../../shared/errors.js";
import type { Page } from "../../../tasks/ledger.js";
import type { PushQuery, PushSubscription } from "../../../tasks/push-ledger.js";
import { all, type Command } from "../../sql/command.js";
import { sql } from "../../sql/statement.js";
import { tenantAfter } from "../retention/tenants.js";
import { PUSH_COLUMNS, type PushRow, toPush } from "./push-row.js";

const FILTERS = `(CAST(:state AS TEXT) IS NULL
      OR (:state = 'done' AND done_at IS NOT NULL)
      OR (:state = 'disabled' AND done_at IS NULL AND disabled_at IS NOT NULL)
      OR (:state = 'waiting' AND done_at IS NULL AND disabled_at IS NULL))
    AND (:failing = 0 OR (done_at IS NULL AND last_error IS NOT NULL))`;

const newest = sql<PushRow>(`SELECT ${PUSH_COLUMNS} FROM push_subscriptions
  WHERE tenant = :tenant AND (task_id, id) < (:taskId, :id) AND ${FILTERS}
  ORDER BY task_id DESC, id DESC LIMIT :limit`);

/** Ids of tasks are hexadecimal, so that `~` sorts after all of them. */
const FIRST = { taskId: "~", id: "" };

/** For the operator: of every tenant, those of the newest tasks first. */
export const listPushes: (query: PushQuery) => Command<Page<PushSubscription>> = (query) =>
  function* () {
    const { limit, state = null } = query;
    const before = query.cursor === undefined ? FIRST : decode(query.cursor);
    const params = { ...before, state, failing: query.failing === true ? 1 : 0, limit: limit + 1 };
    const rows: PushRow[] = [];
    if (query.tenant !== undefined) rows.push(...(yield* all(newest, { ...params, tenant: query.tenant })));
    else {
      for (let tenant = yield* tenantAfter("push_subscriptions", ""); tenant !== null; ) {
        rows.push(...(yield* all(newest, { ...params, tenant })));
        tenant = yield* tenantAfter("push_subscriptions", tenant);
      }
      rows.sort((a, b) => (a.task_id === b.task_id ? compare(b.id, a.id) : compare(b.task_id, a.task_id)));
    }
    const items = rows.slice(0, limit).map(toPush);
    const last = items.at(-1);
    return { items, nextCursor: rows.length > limit && last !== undefined ? encode(last) : null };
  };

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const encode = ({ taskId, id }: { taskId: string; id: string }): string =>
  Buffer.from(JSON.stringify([taskId, id])).toString("base64url");

function decode(cursor: string): { taskId: string; id: string } {
  try {
    const [taskId, id] = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as unknown[];
    if (typeof taskId === "string" && typeof id === "string" && !/\0/.test(taskId + id)) return { taskId, id };
  } catch {}
  throw invalidArgument("cursor", "the cursor is not one that a list has returned", {
    hint: "leave the cursor out to start from the newest",
  });
}
