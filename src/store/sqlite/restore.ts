import { chmodSync, constants, copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { NuncioError } from "../../shared/errors.js";
import { makeDirectory } from "../../shared/make-directory.js";
import { afterRestore } from "../copy/after-restore.js";
import { damagedBackup, refuseBackupFile } from "./backup-file.js";
import { lockDirectory } from "./directory-lock.js";
import { fileRefusal } from "./file-refusal.js";
import { findDamage, type Inspected, inspectSqlite, requireLedger } from "./inspect.js";
import { ledgerFile, syncToDisk } from "./ledger-file.js";
import { migrateSqlite } from "./migrate-sqlite.js";
import { openDriver } from "./open-driver.js";
import { openingRefusal } from "./sqlite-errors.js";

export interface Restore {
  from: string;
  dataDir: string;
  /** Move a ledger that is there aside. */
  replace: boolean;
  /** ms */
  now: number;
}

export interface Restored extends Omit<Inspected, "damage"> {
  /** Where the ledger is now that was there before. */
  replaced: string | null;
}

/**
 * Puts a backup in place as the ledger of a data directory, which no daemon may be using. Everything is prepared and
 * synced under another name: if we die before the last step, the old ledger is in place, afterwards the new one.
 *
 * What was running when the backup was made keeps its lease there: the next daemon takes it back, as after a crash. The
 * time of the restoration is noted in the ledger, for whatever must not be trusted across it.
 */
export async function restore({ from, dataDir, replace, now }: Restore): Promise<Restored> {
  const ledger = ledgerFile(dataDir);
  refuseSource(from, ledger);
  makeDirectory(dataDir, 0o700);
  const lock = lockDirectory(dataDir);
  const fresh = `${ledger}.restoring`;
  try {
    const before = existsSync(ledger);
    if (before && !replace) throw isThere(ledger);
    remove(fresh);
    copyFileSync(from, fresh, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    chmodSync(fresh, 0o600);
    prepare(fresh, from, now);
    const { damage: _, ...found } = await inspectSqlite(fresh);
    syncToDisk(fresh);
    const replaced = before ? setAside(ledger, now) : null;
    // A log without its ledger would be taken for that of the new one.
    for (const part of ["-wal", "-shm"]) rmSync(ledger + part, { force: true });
    renameSync(fresh, ledger);
    syncToDisk(dataDir);
    return { ...found, replaced };
  } catch (error) {
    throw fileRefusal(error, from);
  } finally {
    remove(fresh);
    lock.release();
  }
}

function refuseSource(from: string, ledger: string): void {
  // The ledger itself has a log beside it, too.
  const [source, target] = [from, ledger].map((file) => statSync(file, { throwIfNoEntry: false }));
  if (source !== undefined && source.ino === target?.ino && source.dev === target.dev) {
    throw new NuncioError("failed_precondition", `${from} is the ledger of this data directory already`, {
      hint: "name the file that `nuncio db backup` wrote",
    });
  }
  refuseBackupFile(from);
}

const isThere = (ledger: string) =>
  new NuncioError("failed_precondition", `there is a ledger already: ${ledger}`, {
    reason: "LEDGER_EXISTS",
    hint: "add --replace to move it aside; it is kept under another name",
  });

/** The copy becomes a sound ledger of this program's schema that knows when it was restored, or nothing. */
function prepare(fresh: string, from: string, now: number): void {
  try {
    const driver = openDriver(fresh);
    try {
      requireLedger(driver, from);
      const [damage] = findDamage(driver);
      if (damage !== undefined) throw damagedBackup(from, damage);
      driver.exec("PRAGMA synchronous = FULL");
      migrateSqlite(driver);
      for (const text of afterRestore(now)) driver.exec(text);
      driver.prepare(NOTE).run([String(now)]);
    } finally {
      driver.close();
    }
  } catch (error) {
    if (/^SQLITE_FULL/.test(String((error as { code?: unknown }).code))) throw fileRefusal({ code: "ENOSPC" }, fresh);
    throw openingRefusal(error, from);
  }
}

const NOTE = `INSERT INTO meta (key, value) VALUES ('restored_at', ?)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** Gives the ledger a second name, which is its only one when the new ledger has taken the first. */
function setAside(ledger: string, now: number): string {
  const aside = `${ledger}.replaced-${new Date(now).toISOString().replaceAll(":", "-")}`;
  closeLog(ledger);
  link(ledger, aside);
  // Only beside a ledger that is too damaged to be opened.
  if (existsSync(`${ledger}-wal`)) link(`${ledger}-wal`, `${aside}-wal`);
  return aside;
}

/** What a daemon that was killed has left in the log goes into the ledger, so that one file is all of it. */
function closeLog(ledger: string): void {
  let busy: unknown;
  try {
    const driver = openDriver(ledger);
    try {
      busy = driver.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all([])[0]?.busy;
    } finally {
      driver.close();
    }
  } catch {
    // It is damaged, which may be why it is replaced: it is kept with its log, as it is.
    return;
  }
  if (busy !== 0) {
    throw new NuncioError("unavailable", `${ledger} is being read by another process`, {
      hint: "wait until it has finished, then try again",
    });
  }
}

function link(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch (error) {
    // Some file systems know no links.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
    renameSync(file, name);
  }
}

function remove(file: string): void {
  for (const part of ["", "-wal", "-shm", "-journal"]) rmSync(file + part, { force: true });
}
