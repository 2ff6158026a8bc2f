import { type BackedUp, backUp } from "../store/sqlite/back-up.js";
import { type Inspected, inspectSqlite } from "../store/sqlite/inspect.js";
import { ledgerFile } from "../store/sqlite/ledger-file.js";
import { type Restored, restore } from "../store/sqlite/restore.js";

/*
 * What is done to the ledger of a data directory from outside of a daemon, whether one runs or not. For the commands of
 * `nuncio db`, which load this and not the daemon.
 */

export const backUpLedger = (dataDir: string, to: string, force: boolean): Promise<BackedUp> =>
  backUp({ from: ledgerFile(dataDir), to, force });

export const restoreLedger = (dataDir: string, from: string, replace: boolean): Promise<Restored> =>
  restore({ from, dataDir, replace, now: Date.now() });

/** The ledger of the data directory, or another file. */
export async function inspectLedger(dataDir: string, file?: string): Promise<Inspected & { file: string }> {
  const inspected = file ?? ledgerFile(dataDir);
  return { file: inspected, ...(await inspectSqlite(inspected)) };
}
