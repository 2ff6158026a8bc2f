import type { PlannedTask, SnapshotFile } from "../../plans/plan.js";
import type { Page } from "../../tasks/ledger.js";
import { decodeCursor, encodeCursor } from "../ledger/cursor.js";
import { all, one, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { PLAN_COLUMNS, type PlanRow, toPlan } from "./plan-row.js";

const newest = sql<PlanRow>(`SELECT ${PLAN_COLUMNS} FROM plans
  WHERE tenant = :tenant AND id < :before ORDER BY id DESC LIMIT :limit`);
const tenants = sql<{ tenant: string }>(`WITH RECURSIVE known (tenant) AS (
    SELECT min(tenant) FROM plans
    UNION ALL
    SELECT (SELECT min(plans.tenant) FROM plans WHERE plans.tenant > known.tenant) FROM known WHERE known.tenant IS NOT NULL)
  SELECT tenant FROM known WHERE tenant IS NOT NULL`);
const filesOf = sql<SnapshotFileRow>(`SELECT path, digest, bytes, left_out FROM plan_files
  WHERE tenant = :tenant AND plan_id = :planId ORDER BY path`);
const contentOf = sql<{ content: string }>(`SELECT b.content FROM plan_files f
  JOIN blobs b ON b.tenant = f.tenant AND b.digest = f.digest
  WHERE f.tenant = :tenant AND f.plan_id = :planId AND f.path = :path`);

interface SnapshotFileRow {
  path: string;
  digest: string | null;
  bytes: number;
  left_out: string | null;
}

export function* listPlans(query: { tenant?: string; limit: number; cursor?: string }): Steps<Page<PlannedTask>> {
  const { tenant, limit, cursor } = query;
  // Ids are hexadecimal, so that `~` sorts after all of them.
  const before = cursor === undefined ? "~" : decodeCursor(cursor);
  const known = tenant === undefined ? (yield* all(tenants, {})).map((row) => row.tenant) : [tenant];
  const rows: PlanRow[] = [];
  for (const each of known) rows.push(...(yield* all(newest, { tenant: each, before, limit: limit + 1 })));
  rows.sort((a, b) => (a.id < b.id ? 1 : -1));
  const items = rows.slice(0, limit).map(toPlan);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? encodeCursor(last.id) : null };
}

export function* listFiles(tenant: string, planId: string): Steps<SnapshotFile[]> {
  return (yield* all(filesOf, { tenant, planId })).map(
    ({ path, digest, bytes, left_out }) => ({ path, digest, bytes, leftOut: left_out }) as SnapshotFile,
  );
}

export function* loadContent(tenant: string, planId: string, path: string): Steps<Uint8Array | null> {
  const row = yield* one(contentOf, { tenant, planId, path });
  return row === undefined ? null : Buffer.from(row.content, "base64");
}
