import { describe, expect, it } from "vitest";
import { freshSchema } from "../../../test/support/postgres/shared.js";
import type { StoredSeal } from "../../access/sealing/sealed-store.js";
import { World } from "../../tasks/ledger-contract/world.contract.js";
import { pushSealPurpose } from "../../tasks/push-ledger.js";
import { openPostgres } from "../postgres/open-postgres.js";
import { type Database, sqlLedger } from "../sql-ledger.js";
import { openDriver } from "../sqlite/open-driver.js";
import { databaseOn } from "../sqlite/open-sqlite.js";
import { SEALED_COLUMNS } from "./sealed-columns.js";
import { sqlSealedStore } from "./sealed-store.js";

const places: [string, () => Promise<Database>][] = [
  ["SQLite", async () => databaseOn(openDriver(":memory:"))],
  ["PostgreSQL", async () => openPostgres(await freshSchema())],
];

describe.each(places)("what is sealed in %s", (_, open) => {
  it("X13 is walked through as a whole, each with what it was sealed for, and replaced where it has not changed", async () => {
    const database = await open();
    const world = new World(sqlLedger(database));
    const store = sqlSealedStore(database);
    const expected: string[] = [];
    for (const tenant of ["acme", "default", "zoo"]) {
      for (const id of ["a", "b/c", "ä"]) {
        const push = { id, version: "1.0" as const, origin: "https://x", sealed: `s1.key.${tenant}` };
        const { task } = await world.submit({ push }, tenant);
        expected.push(pushSealPurpose({ tenant, taskId: task.id, id }));
      }
    }
    const seen: StoredSeal[] = [];
    for (let after: string | null = null; ; ) {
      const page: StoredSeal[] = await store.walk({ after, limit: 2 });
      if (page.length === 0) break;
      seen.push(...page);
      after = page.at(-1)?.place ?? null;
    }
    expect(seen.map(({ purpose }) => purpose)).toEqual(expected);

    const [first] = seen as [StoredSeal];
    expect(await store.replace({ seal: first, sealed: "s1.other.AAAA" })).toBe(true);
    expect(await store.replace({ seal: first, sealed: "s1.third.AAAA" })).toBe(false);
    const [again] = await store.walk({ after: null, limit: 1 });
    expect(again).toEqual({ ...first, sealed: "s1.other.AAAA" });
    await database.close();
  });
});

it("X13 every column that is called sealed is one that the change of keys knows", async () => {
  const driver = openDriver(":memory:");
  const database = databaseOn(driver);
  const sealed = driver.prepare(`SELECT m.name FROM sqlite_master m
    WHERE m.type = 'table' AND EXISTS (SELECT 1 FROM pragma_table_info(m.name) WHERE name LIKE '%sealed%') ORDER BY m.name`);
  expect(sealed.all([]).map(({ name }) => name)).toEqual(SEALED_COLUMNS.map(({ table }) => table).sort());
  await database.close();
});
