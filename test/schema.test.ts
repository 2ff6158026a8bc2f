import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { expect, it } from "vitest";
import { openPostgres } from "../src/store/postgres/open-postgres.js";
import { openDriver } from "../src/store/sqlite/open-driver.js";
import { databaseOn } from "../src/store/sqlite/open-sqlite.js";
import { freshSchema } from "./support/postgres/shared.js";
import { postgresSchema } from "./support/schema/postgres-schema.js";
import { sqliteSchema } from "./support/schema/sqlite-schema.js";

const HEAD = "-- The schema of the ledger as the database tells it. Written by `npm run schema:dump`.\n\n";

/** The schema that is checked in, or is to be (`npm run schema:dump` says so in the environment). */
function expectCheckedIn(name: string, dump: string): void {
  const file = fileURLToPath(new URL(`../docs/schema/${name}.sql`, import.meta.url));
  const text = HEAD + dump;
  if (process.env.NUNCIO_WRITE_SCHEMA === "1") {
    mkdirSync(fileURLToPath(new URL("../docs/schema", import.meta.url)), { recursive: true });
    writeFileSync(file, text);
  }
  expect(readFileSync(file, "utf8"), `docs/schema/${name}.sql is out of date: run npm run schema:dump`).toBe(text);
}

it("the schema of SQLite is the one that is checked in", async () => {
  const driver = openDriver(":memory:");
  const database = databaseOn(driver);
  expectCheckedIn("sqlite", sqliteSchema(driver));
  await database.close();
});

it("the schema of PostgreSQL is the one that is checked in", async () => {
  const { url, schema } = await freshSchema();
  const database = await openPostgres({ url, schema });
  await database.close();
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    expectCheckedIn("postgres", await postgresSchema(client, schema));
  } finally {
    await client.end();
  }
});
