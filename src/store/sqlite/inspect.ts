import { existsSync } from "node:fs";
import { NuncioError } from "../../shared/errors.js";
import { checkLedger, countLedger, type LedgerCounts, type LedgerFault } from "../check/check-ledger.js";
import { ledgerTooNew, MIGRATIONS } from "../schema/migrations.js";
import type { SqliteDriver } from "./driver.js";
import { GroupedWriter } from "./grouped-writer.js";
import { schemaVersion } from "./migrate-sqlite.js";
import { openDriver } from "./open-driver.js";
import { openingRefusal } from "./sqlite-errors.js";

export interface Inspected {
  /** Schema version. */
  schema: number;
  /** What SQLite finds wrong with the file itself; empty when nothing is. */
  damage: string[];
  counts: LedgerCounts;
  /** Null for a ledger of an older schema, whose rules this program does not know, and for a damaged one. */
  faults: LedgerFault[] | null;
}

/**
 * Reads a ledger from end to end and says what is in it and what is wrong with it. Changes nothing, and sees one moment
 * of it while a daemon writes. Refuses a file that is no ledger, or one of a newer version.
 */
export async function inspectSqlite(file: string): Promise<Inspected> {
  if (!existsSync(file)) {
    throw new NuncioError("not_found", `${file} is not there`, {
      reason: "NO_LEDGER",
      hint: "name a backup, or with --config FILE the right configuration; `nuncio up` makes a ledger at its first start",
    });
  }
  try {
    const driver = openDriver(file, { readOnly: true });
    try {
      return await inspect(driver, file);
    } finally {
      driver.close();
    }
  } catch (error) {
    throw openingRefusal(error, file);
  }
}

async function inspect(driver: SqliteDriver, file: string): Promise<Inspected> {
  driver.exec("PRAGMA busy_timeout = 2000; BEGIN");
  const schema = requireLedger(driver, file);
  const damage = findDamage(driver);
  const reader = new GroupedWriter(driver, () => {});
  const counts = await reader.read(countLedger);
  const known = schema === MIGRATIONS.length && damage.length === 0;
  return { schema, damage, counts, faults: known ? await reader.read(checkLedger) : null };
}

/** The schema version of a file that is a ledger, of a version that this program knows. */
export function requireLedger(driver: SqliteDriver, file: string): number {
  const version = schemaVersion(driver);
  const tables = driver.prepare("SELECT name FROM sqlite_master WHERE name IN ('tasks', 'events', 'journal')").all([]);
  if (version === 0 || tables.length < 3) {
    throw new NuncioError("failed_precondition", `${file} is a SQLite database, but no ledger of Nuncio`, {
      reason: "NO_LEDGER",
      hint: "name the file that `nuncio db backup` wrote",
    });
  }
  if (version > MIGRATIONS.length) throw ledgerTooNew(version, MIGRATIONS.length, file);
  return version;
}

/** Of a file that is badly damaged SQLite cannot even say what: that is an error, of whoever reads it first. */
export function findDamage(driver: SqliteDriver): string[] {
  const found = driver
    .prepare("PRAGMA integrity_check(20)")
    .all([])
    .map((row) => String(Object.values(row)[0]));
  return found.length === 1 && found[0] === "ok" ? [] : found;
}
