import { chmodSync, existsSync } from "node:fs";
import { Announcements } from "../sql/announcements.js";
import type { Database } from "../sql-ledger.js";
import type { SqliteDriver } from "./driver.js";
import { GroupedWriter } from "./grouped-writer.js";
import { migrateSqlite } from "./migrate-sqlite.js";
import { openDriver } from "./open-driver.js";
import { openingRefusal } from "./sqlite-errors.js";

/** Opens a ledger in one file, or in memory with `:memory:`, and brings its schema up to date. */
export function openSqlite(file: string): Database {
  const fresh = file !== ":memory:" && !existsSync(file);
  try {
    const driver = openDriver(file);
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
    driver.exec("PRAGMA busy_timeout = 2000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    driver.exec("PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000");
    migrateSqlite(driver);
  } catch (error) {
    driver.close();
    throw error;
  }
  const announcements = new Announcements();
  const writer = new GroupedWriter(driver, (done) => announcements.announce(done));
  return {
    write: (command) => writer.write(command),
    read: (query) => writer.read(query),
    onCommit: announcements.changes.add,
    onKeyRevoked: announcements.revokedKeys.add,
    // Every commit is made in this process.
    onMissed: () => () => {},
    onStopped: () => () => {},
    announceStopped: () => {},
    close: async () => writer.close(),
  };
}
