import { chmodSync, existsSync } from "node:fs";
import { READ_MARKS, refuseMarked, toMarks } from "../copy/marks.js";
import { Announcements } from "../sql/announcements.js";
import type { Database } from "../sql-ledger.js";
import type { SqliteDriver } from "./driver.js";
import { GroupedWriter } from "./grouped-writer.js";
import { migrateSqlite } from "./migrate-sqlite.js";
import { openDriver } from "./open-driver.js";
import { openingRefusal } from "./sqlite-errors.js";
import { type WalSync, walSync } from "./wal-sync.js";

export interface SqliteOptions {
  /** Serve it although it was moved elsewhere. */
  useMoved?: boolean;
}

interface DriverOptions extends SqliteOptions {
  /** Syncs what the driver writes beside the program; without it the driver itself syncs, and the program waits. */
  log?: () => WalSync;
}

/** Opens a ledger in one file, or in memory with `:memory:`, and brings its schema up to date. */
export function openSqlite(file: string, options: SqliteOptions = {}): Database {
  const fresh = file !== ":memory:" && !existsSync(file);
  try {
    const driver = openDriver(file);
    if (fresh) chmodSync(file, 0o600);
    return databaseOn(driver, file === ":memory:" ? options : { ...options, log: () => walSync(file) });
  } catch (error) {
    throw openingRefusal(error, file);
  }
}

/**
 * The driver belongs to the database from here on, and is closed when it cannot be used.
 *
 * The write-ahead log is synced after every commit, before anybody is told of it: what a caller was told survives a power
 * cut.
 */
export function databaseOn(driver: SqliteDriver, { useMoved = false, log }: DriverOptions = {}): Database {
  try {
    driver.exec("PRAGMA busy_timeout = 2000");
    // One that is served elsewhere is not changed in any way.
    const known = driver.prepare("SELECT 1 FROM sqlite_master WHERE name = 'meta'").all([]).length > 0;
    if (known) refuseMarked(toMarks(driver.prepare(READ_MARKS).all([])), useMoved);
    driver.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    driver.exec("PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000");
    migrateSqlite(driver);
    // From here on the same call is made on the same file after the commit, instead of in it.
    if (log !== undefined) driver.exec("PRAGMA synchronous = NORMAL");
  } catch (error) {
    driver.close();
    throw error;
  }
  const announcements = new Announcements();
  const writer = new GroupedWriter(driver, (done) => announcements.announce(done), log?.());
  return {
    write: (command) => writer.write(command),
    read: (query) => writer.read(query),
    onCommit: announcements.changes.add,
    onKeyRevoked: announcements.revokedKeys.add,
    // Every commit is made in this process.
    onMissed: () => () => {},
    onStopped: () => () => {},
    announceStopped: () => {},
    close: () => writer.close(),
  };
}
