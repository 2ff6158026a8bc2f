import { ledgerTooNew, MIGRATIONS } from "../schema/migrations.js";
import type { SqliteDriver } from "./driver.js";

/** Another process may be in the middle of rebuilding the index of a large ledger. */
const WAIT_FOR_OTHERS_MS = 120_000;

/**
 * Brings a ledger up to date. Each migration and its version are one transaction, which takes the one writer's lock
 * before it looks which migration comes next: of two processes that open an old ledger at once, one waits and then finds
 * the work done. If we die between two, the next start continues.
 */
export function migrateSqlite(driver: SqliteDriver, migrations: readonly string[] = MIGRATIONS): void {
  // Mostly there is nothing to do, and nobody need be waited for.
  while (nextOf(driver, migrations) !== undefined) {
    const timeout = pragma(driver, "busy_timeout");
    driver.exec(`PRAGMA busy_timeout = ${WAIT_FOR_OTHERS_MS}`);
    try {
      driver.exec("BEGIN IMMEDIATE");
      const next = nextOf(driver, migrations);
      if (next !== undefined) {
        driver.exec(migrations[next] as string);
        driver.exec(`PRAGMA user_version = ${next + 1}`);
      }
      driver.exec("COMMIT");
    } catch (error) {
      if (driver.inTransaction) driver.exec("ROLLBACK");
      throw error;
    } finally {
      driver.exec(`PRAGMA busy_timeout = ${timeout}`);
    }
  }
}

/** The schema version that a file has; 0 when nothing has been written to it. */
export const schemaVersion = (driver: SqliteDriver): number => pragma(driver, "user_version");

/** Index of the migration that has to come next. */
function nextOf(driver: SqliteDriver, migrations: readonly string[]): number | undefined {
  const version = schemaVersion(driver);
  if (version > migrations.length) throw ledgerTooNew(version, migrations.length);
  return version < migrations.length ? version : undefined;
}

const pragma = (driver: SqliteDriver, name: string): number =>
  Number(Object.values(driver.prepare(`PRAGMA ${name}`).all([])[0] ?? {})[0] ?? 0);
