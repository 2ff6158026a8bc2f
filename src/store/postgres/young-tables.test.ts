import pg from "pg";
import { expect, it } from "vitest";
import { freshSchema } from "../../../test/support/postgres/shared.js";
import { World } from "../../tasks/ledger-contract/world.contract.js";
import { sqlLedger } from "../sql-ledger.js";
import { openPostgres } from "./open-postgres.js";
import { YoungTables } from "./young-tables.js";

it("X4 a ledger that grows from nothing is analyzed, so that no plan for empty tables is kept", async () => {
  const { url, schema } = await freshSchema();
  const world = new World(sqlLedger(await openPostgres({ url, schema, clock: "caller" })));
  const pool = new pg.Pool({ connectionString: url, options: `-c search_path=${schema}`, max: 1 });
  const known = async () => {
    const { rows } = await pool.query("SELECT reltuples AS known FROM pg_class WHERE oid = to_regclass('tasks')");
    return Number(rows[0]?.known);
  };
  try {
    const young = new YoungTables(pool);
    await young.look();
    expect(await known()).toBeLessThanOrEqual(0);
    for (let count = 0; count < 20; count++) await world.submit();
    await young.look();
    expect(await known()).toBe(20);
    await world.submit();
    await young.look();
    expect(await known()).toBe(20);
  } finally {
    await world.ledger.close();
    await pool.end();
  }
});
