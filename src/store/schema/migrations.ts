import { NuncioError } from "../../shared/errors.js";
import type { SqliteDriver } from "../sqlite/driver.js";
import { ledger } from "./0001-ledger.js";
import { boundsAndRetention } from "./0002-bounds-and-retention.js";

/** In order; a migration that has been released never changes. Its number is the schema version after it. */
const MIGRATIONS: readonly string[] = [ledger, boundsAndRetention];

/**
 * Brings a SQLite ledger up to date. Each migration and its version are one transaction: if we die between two, the
 * next start continues.
 */
export function migrateSqlite(driver: SqliteDriver): void {
  const version = Number(driver.prepare("PRAGMA user_version").all([])[0]?.user_version ?? 0);
  if (version > MIGRATIONS.length) {
    throw new NuncioError(
      "failed_precondition",
      `the ledger has schema version ${version}, and this program knows only up to ${MIGRATIONS.length}`,
      { reason: "LEDGER_TOO_NEW", hint: "start the newer version of nuncio that wrote it, or restore an older backup" },
    );
  }
  for (let next = version; next < MIGRATIONS.length; next++) {
    driver.exec("BEGIN IMMEDIATE");
    try {
      driver.exec(MIGRATIONS[next] as string);
      driver.exec(`PRAGMA user_version = ${next + 1}`);
      driver.exec("COMMIT");
    } catch (error) {
      if (driver.inTransaction) driver.exec("ROLLBACK");
      throw error;
    }
  }
}
