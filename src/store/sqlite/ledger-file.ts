import { closeSync, fsyncSync, openSync } from "node:fs";
import { join } from "node:path";

/** The ledger of a data directory. Beside it stand, while it is in use, its write-ahead log `-wal` and `-shm`. */
export const ledgerFile = (dataDir: string): string => join(dataDir, "ledger.db");

/** Resolves when the content of a file, or the names in a directory, would survive a power cut. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
