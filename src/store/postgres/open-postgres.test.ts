import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { test as base, expect } from "vitest";
import { freshSchema } from "../../../test/support/postgres/shared.js";
import type { TaskChange } from "../../tasks/ledger.js";
import { World } from "../../tasks/ledger-contract/world.contract.js";
import { all } from "../sql/command.js";
import { lock } from "../sql/statement.js";
import { sqlLedger } from "../sql-ledger.js";
import { openPostgres, type PostgresDatabase, type PostgresOptions } from "./open-postgres.js";

const it = base.extend<{ node(options: PostgresOptions): Promise<PostgresDatabase>; client: Client }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
  node: async ({}, use) => {
    const nodes: PostgresDatabase[] = [];
    await use(async (options) => {
      const node = await openPostgres(options);
      nodes.push(node);
      return node;
    });
    await Promise.all(nodes.map((node) => node.close()));
  },
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
  client: async ({}, use) => {
    const client = new Client({ connectionString: (await freshSchema()).url });
    await client.connect();
    await use(client);
    await client.end();
  },
});

it("nodes hear each other, however long the name of their schema is", async ({ node, client }) => {
  const { url, schema } = await freshSchema();
  const long = schema.padEnd(63, "x");
  const [one, other] = [await node({ url, schema: long }), await node({ url, schema: long })];
  const heard = new Promise<readonly TaskChange[]>((resolve) => other.onCommit(resolve));
  const { task } = await new World(sqlLedger(one)).submit();
  expect(await heard).toMatchObject([{ taskId: task.id }]);
  await client.query(`DROP SCHEMA ${long} CASCADE`);
});

it("what the URL sets for its connections keeps the ledger in no other schema, and our settings what they are", async ({
  node,
  client,
}) => {
  const { url, schema } = await freshSchema();
  const address = new URL(url);
  address.searchParams.set("options", "-c work_mem=8MB -c search_path=public -c enable_seqscan=on");
  const database = await node({ url: address.href, schema });
  const settings = await database.read(() => all(settingsNow, {}));
  expect(settings).toEqual([{ memory: "8MB", seqscan: "off", path: `"${schema}"` }]);
  const { rows } = await client.query("SELECT to_regclass($1) IS NOT NULL AS there", [`${schema}.tasks`]);
  expect(rows).toEqual([{ there: true }]);
});

const settingsNow = lock(`SELECT current_setting('work_mem') AS memory, current_setting('enable_seqscan') AS seqscan,
  current_setting('search_path') AS path`);

const waitForTest = lock("SELECT pg_advisory_xact_lock(9, hashtext(:schema))");

it("D9 a node that waits for a connection still knows what time it is in the database", async ({ node, client }) => {
  const place = await freshSchema();
  const { schema } = place;
  const database = await node({ ...place, poolSize: 1 });
  await client.query("SELECT pg_advisory_lock(9, hashtext($1))", [schema]);
  const busy = database.write(function* () {
    yield* all(waitForTest, { schema });
  });
  // What it may have missed is the occasion to compare the clocks.
  const missed = new Promise<void>((resolve) => database.onMissed(resolve));
  await client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = $1", [
    `LISTEN "nuncio_${schema}"`,
  ]);
  await missed;
  await pause(2000);
  await client.query("SELECT pg_advisory_unlock(9, hashtext($1))", [schema]);
  await busy;
  // Behind the comparison, on the same connection.
  await database.write(function* () {});

  const timeThere = async () => {
    const { rows } = await client.query("SELECT EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS now");
    return Number(rows[0].now);
  };
  const before = await timeThere();
  const here = database.clock.now();
  expect(here).toBeGreaterThan(before - 500);
  expect(here).toBeLessThan((await timeThere()) + 500);
});
