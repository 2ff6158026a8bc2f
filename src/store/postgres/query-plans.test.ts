import { Client } from "pg";
import { expect, it } from "vitest";
import { freshSchema } from "../../../test/support/postgres/shared.js";
import { sqlAccessStore } from "../access/access-store.js";
import { sqlGrantStore } from "../grants/grant-store.js";
import { QueueRoom } from "../ledger/queue-room.js";
import { sqlPeerStore } from "../peers/peer-store.js";
import { sqlPlanStore } from "../plans/plan-store.js";
import { sqlSealedStore } from "../sealed/sealed-store.js";
import { allStatements } from "../sql/statement.js";
import { sqlLedger } from "../sql-ledger.js";
import { connectionConfig } from "./connection.js";
import { forPostgres } from "./dialect.js";
import { openPostgres } from "./open-postgres.js";

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  Plans?: PlanNode[];
}

/** They hold what is alive, what waits for the operator, or what the operator has made, and nothing else: small by nature. */
const SMALL =
  /^(tasks_(lane|delegated|waking|runnable)|waits_|dead_letters_|api_keys_|tenants_|plans_|grants_|dispatches_slot)/;

const nodesOf = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** A walk over a table or over all that a tenant has; null for what an index leads to. */
function walk(node: PlanNode): string | null {
  const of = `${node["Node Type"]} of ${node["Relation Name"] ?? node["Index Name"]}`;
  if (node["Node Type"] === "Seq Scan") return node["Relation Name"] === "dead_letters" ? null : of;
  if (!node["Node Type"].includes("Index") || SMALL.test(node["Index Name"] ?? "")) return null;
  const condition = node["Index Cond"];
  return condition === undefined || /^\(tenant = \S+\)$/.test(condition) ? `${of} by ${condition}` : null;
}

/** What a ledger is full of: tasks that have ended, in contexts of their own, with what each has left behind. */
const FILLING = [
  `INSERT INTO tasks (tenant, id, context_id, persona, principal, trigger_kind, state, root_id, hop, turn, blocked, attempt,
     max_attempts, resuming, fence, run_at, seq, input_tokens, output_tokens, created_at, updated_at, parent_id)
   SELECT 'default', 'task-' || n, 'context-' || n / 2, 'persona-' || n % 5, 'user-' || n % 100, 'a2a', 'completed',
     'task-' || n / 2, 0, 1, 0, 1, 3, 0, 1, n, 2, 0, 0, n, n, CASE WHEN n % 2 = 1 THEN 'task-' || n / 2 END
   FROM generate_series(1, 20000) AS n`,
  `INSERT INTO events (tenant, task_id, seq, at, type, format, body)
   SELECT 'default', 'task-' || n / 2, 1 + n % 2, n, 'status', 1, '{}' FROM generate_series(2, 40001) AS n`,
  `INSERT INTO journal (tenant, task_id, step, turn, kind, key, at, format, data)
   SELECT 'default', 'task-' || n, 1, 1, 'turn', '1', n, 1, '{}' FROM generate_series(1, 20000) AS n`,
  `INSERT INTO submissions (tenant, persona, principal, message_id, body_hash, task_id, at)
   SELECT 'default', 'persona-' || n % 5, 'user-' || n % 100, 'message-' || n, 'hash', 'task-' || n, n
   FROM generate_series(1, 20000) AS n`,
  `INSERT INTO push_subscriptions (tenant, task_id, id, principal, version, origin, sealed, created_at, sent_seq, attempts,
     next_at, fence, done_at)
   SELECT 'default', 'task-' || n, 'hook', 'user-' || n % 100, '1.0', 'https://hooks.example', 's1.key.AAAA', n, 2, 0, n, 0,
     CASE WHEN n % 100 > 0 THEN n END
   FROM generate_series(1, 20000) AS n`,
  `INSERT INTO plans (tenant, id, revision, state, title, plan, workspace, snapshot_digest, invocations, invocations_used,
     created_at, updated_at, completed_at)
   SELECT 'default', 'plan-' || n, 1, 'open', 'title', '{}', '/', 'sha256', 1, 0, n, n, CASE WHEN n % 2 = 1 THEN n END
   FROM generate_series(1, 5000) AS n`,
  `INSERT INTO blobs (tenant, digest, bytes, content) SELECT 'default', 'sha256:' || n, 1, '' FROM generate_series(1, 5000) AS n`,
  `INSERT INTO plan_files (tenant, plan_id, path, digest, bytes)
   SELECT 'default', 'plan-' || n, 'path-' || n, 'sha256:' || n, 1 FROM generate_series(1, 5000) AS n`,
  `INSERT INTO assignments (tenant, plan_id, id, step, profile, invocations, invocations_used, generation, created_at, updated_at)
   SELECT 'default', 'plan-' || n / 2, 'assignment-' || n, 'step', '{}', 1, 0, 1, n, n FROM generate_series(1, 5000) AS n`,
  `INSERT INTO assignment_runs (tenant, plan_id, assignment_id, generation, child_id, at)
   SELECT 'default', 'plan-' || n / 2, 'assignment-' || n, 1, 'task-' || n, n FROM generate_series(1, 5000) AS n`,
  `INSERT INTO dispatches (tenant, task_id, run_id, peer, plan_id, assignment_id, revision, pin_digest, state, holds_slot,
     created_at, updated_at)
   SELECT 'default', 'task-' || n, 'run-' || n, 'peer-' || n % 5, 'plan-' || n / 2, 'assignment-' || n, 1, 'sha256', 'accepted',
     CASE WHEN n % 100 = 0 THEN 1 ELSE 0 END, n, n
   FROM generate_series(1, 5000) AS n`,
  `INSERT INTO dispatch_sends (tenant, task_id, turn, message_id, body_digest, disclosed, state, intended_at)
   SELECT 'default', 'task-' || n, 1, 'message', 'sha256', '[]', 'accepted', n FROM generate_series(1, 5000) AS n`,
  `INSERT INTO receipts (tenant, task_id, number, at, kind, facts)
   SELECT 'default', 'task-' || n / 4, n % 4, n, 'sent', '{}' FROM generate_series(4, 20003) AS n`,
  `INSERT INTO approvals (tenant, task_id, call_id, digest, id, root_id, persona, tool, arguments, created_at, expires_at, decision)
   SELECT 'default', 'task-' || n, 'call', 'digest', 'approval-' || n, 'task-' || n / 2, 'writer', 'net_http', '{}', n, n,
     CASE WHEN n % 100 > 0 THEN 'approved' END
   FROM generate_series(1, 20000) AS n`,
  "ANALYZE",
];

it("Q4 every statement of the store is one of PostgreSQL, and none reads tasks, events or journal from end to end", async () => {
  const place = await freshSchema();
  const database = await openPostgres(place);
  sqlLedger(database);
  sqlAccessStore(database);
  sqlSealedStore(database);
  sqlPlanStore(database, new QueueRoom());
  sqlGrantStore(database, new QueueRoom());
  sqlPeerStore(database);
  await database.close();
  const client = new Client(connectionConfig(place));
  await client.connect();
  try {
    for (const text of FILLING) await client.query(text);
    await client.query("SET plan_cache_mode = force_generic_plan");
    const walks: string[] = [];
    for (const statement of allStatements()) {
      await client.query(`PREPARE asked AS ${forPostgres(statement, "caller").text}`);
      await client.query("DEALLOCATE asked");
      const { text, names } = forPostgres(statement, "database");
      await client.query(`PREPARE asked AS ${text}`);
      const values = names.length === 0 ? "" : `(${names.map(() => "NULL").join(", ")})`;
      const { rows } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE asked${values}`);
      await client.query("DEALLOCATE asked");
      for (const node of nodesOf(rows[0]["QUERY PLAN"][0].Plan)) {
        const found = walk(node);
        if (found !== null) walks.push(`${found}\n${text}`);
      }
    }
    expect(allStatements().length).toBeGreaterThan(30);
    expect(walks).toEqual([]);
  } finally {
    await client.end();
  }
});
