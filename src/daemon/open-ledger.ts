import { join } from "node:path";
import type { Config } from "../config/config.js";
import type { Clock } from "../shared/clock.js";
import type { Mark } from "../store/copy/marks.js";
import { noteUse } from "../store/copy/note-use.js";
import type { Database } from "../store/sql-ledger.js";

export interface OpenLedger {
  database: Database;
  /** What all who share the ledger go by. */
  clock: Clock;
  /** No other process can work on it. */
  alone: boolean;
  /** Where it was moved to, when it is served nevertheless. */
  movedTo: Mark | null;
}

/**
 * Opens the ledger that the configuration names. What only one kind needs is loaded only for it.
 *
 * @param useMoved serve a ledger although `nuncio db copy` has moved it elsewhere
 * @throws NuncioError LEDGER_MOVED, or LEDGER_INCOMPLETE for a copy that was not finished
 */
export async function openLedger(config: Config, clock: Clock, useMoved = false): Promise<OpenLedger> {
  const ledger = await open(config, clock, useMoved);
  if (!useMoved) return { ...ledger, movedTo: null };
  try {
    return { ...ledger, movedTo: await ledger.database.write(noteUse(ledger.clock.now())) };
  } catch (error) {
    await ledger.database.close();
    throw error;
  }
}

async function open(
  { storage, dataDir }: Config,
  clock: Clock,
  useMoved: boolean,
): Promise<Omit<OpenLedger, "movedTo">> {
  if (storage.type === "postgres") {
    const { openPostgres } = await import("../store/postgres/open-postgres.js");
    const database = await openPostgres({ ...storage, useMoved });
    return { database, clock: database.clock, alone: false };
  }
  const { openSqlite } = await import("../store/sqlite/open-sqlite.js");
  // The lock on the data directory is held by now: nobody else writes to what is in it.
  return { database: openSqlite(join(dataDir, "ledger.db"), { useMoved }), clock, alone: true };
}
