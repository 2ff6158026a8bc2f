import pg from "pg";
import { NuncioError } from "../../shared/errors.js";
import { checkLedger, countLedger } from "../check/check-ledger.js";
import { ledgerTooNew, MIGRATIONS } from "../schema/migrations.js";
import type { Inspected } from "../sqlite/inspect.js";
import { connectingRefusal } from "./connecting-refusal.js";
import { type ConnectionOptions, placeOf, wholeLedgerConfig } from "./connection.js";
import { hasLedger } from "./has-ledger.js";
import { PostgresTransactions } from "./transactions.js";

/**
 * Reads a ledger from end to end and says what is in it and what is wrong with it, while nodes go on with it. What is wrong
 * with its files is for the tools of the database: `damage` is empty.
 */
export async function inspectPostgres(options: ConnectionOptions): Promise<Inspected> {
  const pool = new pg.Pool({ ...wholeLedgerConfig(options), max: 1 });
  pool.on("error", () => {});
  const reader = new PostgresTransactions(pool, "database", () => {});
  try {
    const schema = await versionOf(pool, options);
    const counts = await reader.read(countLedger);
    const faults = schema === MIGRATIONS.length ? await reader.read(checkLedger) : null;
    return { schema, damage: [], counts, faults };
  } catch (error) {
    throw NuncioError.is(error) ? error : connectingRefusal(error, placeOf(options.url));
  } finally {
    await pool.end();
  }
}

async function versionOf(pool: pg.Pool, { url, schema }: ConnectionOptions): Promise<number> {
  if (!(await hasLedger(pool, schema, placeOf(url)))) {
    throw new NuncioError("not_found", `there is no ledger in the schema ${schema} at ${placeOf(url)}`, {
      reason: "NO_LEDGER",
      hint: "name the right configuration with --config FILE; `nuncio up` makes a ledger at its first start",
    });
  }
  const version = Number((await pool.query("SELECT version FROM schema_version")).rows[0]?.version ?? 0);
  if (version > MIGRATIONS.length) throw ledgerTooNew(version, MIGRATIONS.length, placeOf(url));
  return version;
}
