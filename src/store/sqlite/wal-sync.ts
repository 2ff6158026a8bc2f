import { closeSync, fdatasync, openSync } from "node:fs";

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
  const log = openSync(`${file}-wal`, "r");
  return {
    sync: (done) => fdatasync(log, done),
    close: () => closeSync(log),
  };
}
