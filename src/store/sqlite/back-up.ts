import { closeSync, existsSync, linkSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { NuncioError } from "../../shared/errors.js";
import type { LedgerCounts, LedgerFault } from "../check/check-ledger.js";
import type { SqliteDriver } from "./driver.js";
import { fileRefusal } from "./file-refusal.js";
import { inspectSqlite, requireLedger } from "./inspect.js";
import { syncToDisk } from "./ledger-file.js";
import { openDriver } from "./open-driver.js";
import { openingRefusal } from "./sqlite-errors.js";

export interface BackUp {
  from: string;
  to: string;
  /** Replace a file that is there already. */
  force: boolean;
}

export interface BackedUp {
  bytes: number;
  schema: number;
  counts: LedgerCounts;
  /** What is wrong with the ledger, and so with its copy; null where this program cannot tell. */
  faults: LedgerFault[] | null;
}

/**
 * Writes a copy of a ledger as it stands at one moment, also while a daemon writes to it. The copy is made under
 * another name, read through, and synced before it gets its own: what has that name is always whole. If we die before, the
 * part that was written stays until the next backup to the same name.
 */
export async function backUp({ from, to, force }: BackUp): Promise<BackedUp> {
  refuseItself(from, to);
  return await writeBackUp({ to, force, source: from, copy: (partial) => copy(from, partial) });
}

export interface WriteBackUp {
  to: string;
  force: boolean;
  /** What is copied, for messages. */
  source: string;
  /** Fills the file, which is there and empty. */
  copy(file: string): void | Promise<void>;
}

/** The same for whatever writes the copy. */
export async function writeBackUp({ to, force, source, copy }: WriteBackUp): Promise<BackedUp> {
  refuseTarget(to, force);
  const partial = `${to}.${process.pid}.partial`;
  try {
    removeRemains(to);
    // Made here, so that nobody else can read it from its first byte on.
    closeSync(openSync(partial, "wx", 0o600));
    await copy(partial);
    const { damage, ...found } = await inspectSqlite(partial);
    if (damage.length > 0) throw damaged(source, damage);
    syncToDisk(partial);
    const { size } = statSync(partial);
    name(partial, to, force);
    syncToDisk(dirname(to));
    return { bytes: size, ...found };
  } catch (error) {
    throw fileRefusal(error, to);
  } finally {
    for (const part of ["", "-journal"]) rmSync(partial + part, { force: true });
  }
}

function refuseItself(from: string, to: string): void {
  const [ledger, target] = [from, to].map((file) => statSync(file, { throwIfNoEntry: false }));
  if (ledger === undefined) {
    throw new NuncioError("not_found", `there is no ledger to back up: ${from} does not exist`, {
      hint: "name the right configuration with --config FILE; `nuncio up` makes a ledger at its first start",
    });
  }
  if (target?.ino === ledger.ino && target.dev === ledger.dev) {
    throw new NuncioError("failed_precondition", `${to} is the ledger itself`, { hint: "name another file" });
  }
}

function refuseTarget(to: string, force: boolean): void {
  const target = statSync(to, { throwIfNoEntry: false });
  if (target === undefined) return;
  if (target.isDirectory()) throw fileRefusal({ code: "EISDIR" }, to);
  if (!force) throw exists(to);
}

const exists = (to: string) =>
  new NuncioError("failed_precondition", `${to} is there already`, {
    reason: "FILE_EXISTS",
    hint: "name another file, or add --force to replace it",
  });

/** `VACUUM INTO` reads under one snapshot, without keeping the writer from going on. */
function copy(from: string, to: string): void {
  let driver: SqliteDriver | undefined;
  try {
    driver = openDriver(from, { readOnly: true });
    driver.exec("PRAGMA busy_timeout = 10000");
    requireLedger(driver, from);
    driver.prepare("VACUUM INTO ?").run([to]);
  } catch (error) {
    if (/^SQLITE_FULL/.test(String((error as { code?: unknown }).code))) throw fileRefusal({ code: "ENOSPC" }, to);
    throw openingRefusal(error, from);
  } finally {
    driver?.close();
  }
}

const damaged = (file: string, damage: readonly string[]) =>
  new NuncioError("failed_precondition", `${file} is damaged: ${damage[0]}`, {
    reason: "LEDGER_DAMAGED",
    hint: "`nuncio db check` says more; restore an earlier backup",
  });

/** Without `force` only where there is still no such file: a link is never made over another. */
function name(partial: string, to: string, force: boolean): void {
  try {
    if (force) renameSync(partial, to);
    else linkSync(partial, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (force || code === "ENOSPC") throw error;
    if (code === "EEXIST" || existsSync(to)) throw exists(to);
    // Some file systems know no links.
    renameSync(partial, to);
  }
}

/** Of earlier backups to this name whose process is gone. */
function removeRemains(to: string): void {
  const folder = dirname(to);
  const prefix = `${basename(to)}.`;
  for (const entry of readdirSync(folder)) {
    if (!entry.startsWith(prefix)) continue;
    const [, pid] = /^(\d+)\.partial$/.exec(entry.slice(prefix.length)) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, entry), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
