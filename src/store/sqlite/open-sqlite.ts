import { chmodSync, existsSync } from "node:fs";
import type { TaskChange } from "../../tasks/ledger.js";
import { migrateSqlite } from "../schema/migrations.js";
import type { Database } from "../sql-ledger.js";
import { openBetterSqlite3 } from "./better-sqlite3.js";
import type { SqliteDriver } from "./driver.js";
import { GroupedWriter } from "./grouped-writer.js";
import { openingRefusal } from "./sqlite-errors.js";

/** Opens a ledger in one file, or in memory with `:memory:`, and brings its schema up to date. */
export function openSqlite(file: string): Database {
  const fresh = file !== ":memory:" && !existsSync(file);
  try {
    const driver = openBetterSqlite3(file);
    if (fresh) chmodSync(file, 0o600);
    return databaseOn(driver);
  } catch (error) {
    throw openingRefusal(error, file);
  }
}

/**
 * The driver belongs to the database from here on, and is closed when it cannot be used.
 *
 * `synchronous=FULL` syncs the write-ahead log at every commit: what a caller was told survives a power cut.
 */
export function databaseOn(driver: SqliteDriver): Database {
  try {
    driver.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 2000");
    driver.exec("PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000");
    migrateSqlite(driver);
  } catch (error) {
    driver.close();
    throw error;
  }
  const listeners = new Set<(changes: readonly TaskChange[]) => void>();
  const writer = new GroupedWriter(driver, (changes) => {
    for (const listener of listeners) {
      try {
        listener(changes);
      } catch (error) {
        // The commands are durable: their callers must hear so, whatever is wrong with somebody who only listens.
        process.emitWarning(error instanceof Error ? error : String(error));
      }
    }
  });
  return {
    write: (command) => writer.write(command),
    read: (query) => writer.read(query),
    onCommit(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => writer.close(),
  };
}
