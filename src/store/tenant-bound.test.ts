import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sqlAccessStore } from "./access/access-store.js";
import { sqlGrantStore } from "./grants/grant-store.js";
import { QueueRoom } from "./ledger/queue-room.js";
import { sqlPeerStore } from "./peers/peer-store.js";
import { sqlPlanStore } from "./plans/plan-store.js";
import { sqlSealedStore } from "./sealed/sealed-store.js";
import { allStatements } from "./sql/statement.js";
import { sqlLedger } from "./sql-ledger.js";
import { openDriver } from "./sqlite/open-driver.js";
import { openSqlite } from "./sqlite/open-sqlite.js";

/** The named view of the system: all that may look beyond one tenant, and why. */
const SYSTEM: readonly (readonly [why: string, statement: RegExp])[] = [
  ["the operator's keys; a credential says itself whose it is", /^\w+[^(]* api_keys\b/],
  [
    "waking what is due",
    /^SELECT [\w, ]+ FROM tasks WHERE wake_at IS NOT NULL AND wake_at <= :now ORDER BY wake_at LIMIT /,
  ],
  ["when the next is due", /^SELECT wake_at FROM tasks WHERE wake_at IS NOT NULL ORDER BY wake_at LIMIT 1\b/],
  [
    "taking back what was lost",
    /^SELECT [\w, ]+ FROM tasks WHERE lane IS NOT NULL .* AND lease_(until|owner) .* UNION ALL /,
  ],
  ["the operator's list of dead letters", /^SELECT .* FROM dead_letters d JOIN tasks t ON t\.tenant = d\.tenant AND /],
  ["the operator's purge of dead letters", /^DELETE FROM dead_letters (WHERE task_id = :taskId )?RETURNING task_id$/],
  ["the operator's counts", /^SELECT (state, )?count\(\*\) AS count FROM (tasks|dead_letters) WHERE /],
  ["the change of sealing keys", /^SELECT [\w, ]+, \w+ AS sealed FROM \w+ WHERE \(.* ORDER BY .* LIMIT :limit$/],
  ["sealing anew, by the whole key", /^UPDATE \w+ SET \w+ = :anew WHERE \w+ = :key0 /],
  [
    "the public keys of agents, which whoever shows a token is verified with",
    /^SELECT [^*]* FROM signing_keys WHERE changed_at >= /,
  ],
  [
    "the operator's inbox of approvals",
    /^SELECT [\w, ]+ FROM approvals WHERE (id = :id|(decision IS NULL AND )?id < :before ORDER BY id DESC LIMIT :limit)$/,
  ],
  [
    "what the operator has planned, named by an id alone",
    /^SELECT tenant(, plan_id)? FROM (plans|assignments) WHERE id = /,
  ],
  [
    "whom the operator has granted what",
    /^SELECT [\w, ]+ FROM grants (WHERE (id|credential_digest) = |ORDER BY id DESC)/,
  ],
  [
    "a peer, which is one agent for all",
    /^SELECT [\w, ()*]+ FROM dispatches WHERE (peer [=>] |holds_slot = 1 ORDER BY peer)/,
  ],
  ["planned tasks that are old", /^SELECT p\.tenant, p\.id FROM plans p WHERE p\.completed_at /],
  ["what only this snapshot holds of the tenant's contents", /^DELETE FROM blobs WHERE tenant = :tenant AND /],
  ["from tenant to tenant", /^(WITH RECURSIVE known \(tenant\) AS \( )?SELECT min\(tenant\)/],
];

it("invariant 7 every statement of the store is bound to a tenant, but for the named view of the system", async () => {
  const tables = await tablesWithTenant();
  expect(tables).toEqual(expect.arrayContaining(["tasks", "events", "journal", "submissions", "waits"]));
  const free = allStatements()
    .map(({ text }) => text.replace(/\s+/g, " ").trim())
    .filter((text) => !isBound(text, tables));
  expect(free.filter((text) => !SYSTEM.some(([, statement]) => statement.test(text)))).toEqual([]);
  for (const [why, statement] of SYSTEM)
    expect(
      free.some((text) => statement.test(text)),
      why,
    ).toBe(true);
});

/** Wherever the text names a table that has tenants, it is asked for one in the same breath. */
function isBound(text: string, tables: readonly string[]): boolean {
  const named = new RegExp(`\\b(FROM|JOIN|UPDATE|INTO) (${tables.join("|")})\\b`);
  if (text.startsWith("INSERT INTO ") && named.test(text))
    return /^INSERT INTO \w+ \(tenant, .*VALUES \(:tenant, /.test(text);
  return queriesOf(text).every((query) => !named.test(query) || /(?<!:)\btenant = :tenant\b/.test(query));
}

/** A statement and the queries inside it, each without those inside of it. */
function queriesOf(text: string): string[] {
  const queries: string[] = [];
  const open = [""];
  for (const char of text) {
    if (char === "(") open.push("");
    else if (char === ")") queries.push(open.pop() as string);
    else open[open.length - 1] += char;
  }
  return [...queries, ...open].flatMap((query) => query.split(/ UNION ALL |(?= UPDATE )/));
}

async function tablesWithTenant(): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), "nuncio-tenants-"));
  const file = join(directory, "ledger.db");
  const database = openSqlite(file);
  // What they are made of registers its statements when it is loaded.
  sqlLedger(database);
  sqlAccessStore(database);
  sqlSealedStore(database);
  sqlPlanStore(database, new QueueRoom());
  sqlGrantStore(database, new QueueRoom());
  sqlPeerStore(database);
  await database.close();
  const driver = openDriver(file);
  const names = driver.prepare(`SELECT m.name FROM sqlite_master m
    WHERE m.type = 'table' AND EXISTS (SELECT 1 FROM pragma_table_info(m.name) WHERE name = 'tenant')`);
  const tables = names.all([]).map(({ name }) => String(name));
  driver.close();
  rmSync(directory, { recursive: true });
  return tables;
}
