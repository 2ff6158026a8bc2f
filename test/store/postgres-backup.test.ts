import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { stringify } from "yaml";
import type { LedgerPlace } from "../../src/store/copy/ledger-place.js";
import { sqlLedger } from "../../src/store/sql-ledger.js";
import { World } from "../../src/tasks/ledger-contract/world.contract.js";
import { rowsOf, storedLedger } from "../support/ledgers/stored-ledger.js";
import { everything, filled, open } from "../support/ledgers/whole-ledger.js";
import { freshSchema } from "../support/postgres/shared.js";
import { runCli } from "../support/run-cli.js";

type Postgres = LedgerPlace & { type: "postgres" };

/** A folder with a configuration that names a ledger on PostgreSQL by a variable. */
async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), "nuncio-backup-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const place: Postgres = { type: "postgres", ...(await freshSchema()) };
  const storage = { type: "postgres", url: "${TEST_URL}", schema: place.schema, poolSize: "${TEST_POOL}" };
  writeFileSync(
    join(folder, "nuncio.yaml"),
    stringify({ storage, providers: { p: { type: "anthropic", apiKey: "${KEY}" } } }),
  );
  const db = (...args: string[]) => runCli(["db", ...args, "--json"], { cwd: folder, env: { TEST_URL: place.url } });
  return { folder, place, db, file: join(folder, "backup.db") };
}

const query = async ({ url }: Postgres, text: string) => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
};

const schemasLike = async (place: Postgres): Promise<string[]> =>
  (await query(place, `SELECT nspname FROM pg_namespace WHERE nspname LIKE '${place.schema}%' ORDER BY 1`)).map(
    ({ nspname }) => nspname,
  );

/** What a ledger still believes of itself once it is restored: not what it has sent, and not whom it lets in. */
function kept(ledger: Awaited<ReturnType<typeof everything>>): typeof ledger {
  const { dispatches: _, dispatch_sends: __, receipts: ___, grants: ____, ...rest } = ledger;
  return rest;
}

it("X11 a ledger on PostgreSQL is backed up while a node works on it, and restored into an empty schema", async () => {
  const { place, db, file } = await setUp();
  await filled(place);
  const before = await everything(place);
  const node = await open(place);
  const done = await db("backup", "backup.db");
  await new World(sqlLedger(node)).submit();
  await node.close();
  expect(done.code, done.stderr).toBe(0);
  expect(done.json()).toMatchObject({ file, faults: [], counts: { tasks: before.tasks?.length, keys: 2 } });
  expect([statSync(file).mode & 0o777, existsSync(`${file}-wal`)]).toEqual([0o600, false]);
  expect(await everything({ type: "sqlite", file: `${file}` })).toEqual(before);

  const there = await db("restore", "backup.db");
  expect([there.code, there.json().error.message]).toEqual([2, expect.stringContaining("has a ledger in it already")]);
  await query(place, `DROP SCHEMA ${place.schema} CASCADE`);
  const restored = await db("restore", "backup.db");
  expect(restored.code, restored.stderr).toBe(0);
  expect(restored.json()).toMatchObject({ replaced: null, faults: [] });
  expect(restored.stdout).not.toContain(new URL(place.url).password);
  expect(kept(await everything(place))).toEqual(kept(before));
  expect(await query(place, `SELECT key FROM ${place.schema}.meta ORDER BY key`)).toEqual([
    { key: "copied_from" },
    { key: "restored_at" },
  ]);
  await (await open(place)).close();
  expect((await db("check")).json()).toMatchObject({ sound: true, counts: { tasks: before.tasks?.length } });
});

it("X11 a restoration with --replace keeps what was there, and waits for nobody who works on it", async () => {
  const { place, db } = await setUp();
  await filled(place);
  const before = await everything(place);
  await db("backup", "backup.db");
  const node = await open(place);
  await new World(sqlLedger(node)).submit();
  const busy = await db("restore", "backup.db", "--replace");
  expect([busy.code, busy.json().error.message]).toEqual([2, expect.stringContaining("nodes work on")]);
  await node.close();
  const newer = await everything(place);

  const { replaced } = (await db("restore", "backup.db", "--replace")).json();
  expect(replaced).toMatch(new RegExp(`^${place.schema}_replaced_\\d{8}t\\d{6}$`));
  expect(await schemasLike(place)).toEqual([place.schema, replaced]);
  expect(kept(await everything(place))).toEqual(kept(before));
  expect(await everything({ ...place, schema: replaced })).toEqual(newer);
});

it("X11 a backup of an earlier version is restored up to date, and is itself left as it is", async () => {
  const { place, db, file } = await setUp();
  storedLedger(1, file);
  const tasks = rowsOf(file, "SELECT id FROM tasks").length;
  const bytes = readFileSync(file);
  const restored = await db("restore", "backup.db");
  expect(restored.code, restored.stderr).toBe(0);
  expect(restored.json()).toMatchObject({ counts: { tasks }, faults: [] });
  expect(readFileSync(file).equals(bytes)).toBe(true);
  expect(await query(place, `SELECT count(*)::int AS tasks FROM ${place.schema}.tasks`)).toEqual([{ tasks }]);
});

it("a check of a ledger on PostgreSQL says what is wrong with it", async () => {
  const { place, db } = await setUp();
  expect((await db("check")).json().error.message).toContain("there is no ledger");
  await filled(place);
  await query(place, `DELETE FROM ${place.schema}.events WHERE seq = 1`);
  const { code, json } = await db("check");
  expect([code, json().sound]).toEqual([1, false]);
  expect(json().faults.length).toBeGreaterThan(0);
});
