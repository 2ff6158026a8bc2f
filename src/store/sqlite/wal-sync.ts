import { closeSync, fdatasync, openSync, realpathSync } from "node:fs";

/** Calls back when everything that was written before the call is on the disk. */
export interface WalSync {
  sync(done: (error: Error | null) => void): void;
  close(): void;
}

/**
 * Syncs the write-ahead log of a ledger without standing still meanwhile. With `synchronous=FULL` SQLite does the same call
 * on the same file inside each commit, and nothing else of this process moves until the disk has answered.
 */
export function walSync(file: string): WalSync {
  // SQLite has it beside the file itself, wherever the name that it was opened by is a link to.
  const log = openSync(`${realpathSync(file)}-wal`, "r");
  return {
    sync: (done) => fdatasync(log, done),
    close: () => closeSync(log),
  };
}
