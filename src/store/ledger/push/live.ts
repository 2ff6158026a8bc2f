import type { LivePush, PushKey } from "../../../tasks/push-ledger.js";
import type { Walk, Walked } from "../../../tasks/retention-ledger.js";
import { all, type Command } from "../../sql/command.js";
import { sql } from "../../sql/statement.js";
import { tenantAfter } from "../retention/tenants.js";

interface LiveRow {
  task_id: string;
  id: string;
  principal: string;
  origin: string;
  sent_seq: number;
  next_at: number;
  lease_until: number | null;
  seq: number;
}

const following = sql<LiveRow>(`SELECT
    p.task_id, p.id, p.principal, p.origin, p.sent_seq, p.next_at, p.lease_until, t.seq
  FROM push_subscriptions p JOIN tasks t ON t.tenant = p.tenant AND t.id = p.task_id
  WHERE p.tenant = :tenant AND (p.task_id, p.id) > (:taskId, :id) AND p.done_at IS NULL AND p.disabled_at IS NULL
  ORDER BY p.task_id, p.id LIMIT :limit`);

/** Along the index of what waits, tenant by tenant. */
export const livePushes: (query: Omit<Walk<PushKey>, "before">) => Command<Walked<LivePush, PushKey>> = ({
  after,
  limit,
}) =>
  function* () {
    const tenant = after?.tenant ?? (yield* tenantAfter("push_subscriptions", ""));
    if (tenant === null) return { entries: [], next: null };
    const rows = yield* all(following, { tenant, taskId: after?.taskId ?? "", id: after?.id ?? "", limit });
    const entries = rows.map((row): LivePush => toLive(tenant, row));
    const last = rows.at(-1);
    if (last !== undefined && rows.length === limit) {
      return { entries, next: { tenant, taskId: last.task_id, id: last.id } };
    }
    const further = yield* tenantAfter("push_subscriptions", tenant);
    return { entries, next: further === null ? null : { tenant: further, taskId: "", id: "" } };
  };

const toLive = (tenant: string, row: LiveRow): LivePush => ({
  tenant,
  taskId: row.task_id,
  id: row.id,
  principal: row.principal,
  origin: row.origin,
  sentSeq: row.sent_seq,
  nextAt: row.next_at,
  leasedUntil: row.lease_until,
  behind: row.seq > row.sent_seq,
});
