import { chmodSync, existsSync } from "node:fs";
import type { TaskChange } from "../../tasks/ledger.js";
import { migrateSqlite } from "../schema/migrations.js";
import type { Database } from "../sql-ledger.js";
import { openBetterSqlite3 } from "./better-sqlite3.js";
import { GroupedWriter } from "./grouped-writer.js";
import { fromSqlite } from "./sqlite-errors.js";

/**
 * Opens a ledger in one file, or in memory with `:memory:`, and brings its schema up to date.
 *
 * `synchronous=FULL` syncs the write-ahead log at every commit: what a caller was told survives a power cut.
 */
export function openSqlite(file: string): Database {
  const fresh = file !== ":memory:" && !existsSync(file);
  try {
    const driver = openBetterSqlite3(file);
    if (fresh) chmodSync(file, 0o600);
    driver.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 2000");
    driver.exec("PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000");
    migrateSqlite(driver);
    const listeners = new Set<(changes: readonly TaskChange[]) => void>();
    const writer = new GroupedWriter(driver, (changes) => {
      for (const listener of listeners) listener(changes);
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
  } catch (error) {
    throw fromSqlite(error);
  }
}
