import { join } from "node:path";
import type { Config } from "../config/config.js";
import type { Clock } from "../shared/clock.js";
import type { Database } from "../store/sql-ledger.js";

export interface OpenLedger {
  database: Database;
  /** What all who share the ledger go by. */
  clock: Clock;
  /** No other process can work on it. */
  alone: boolean;
}

/** Opens the ledger that the configuration names. What only one kind needs is loaded only for it. */
export async function openLedger({ storage, dataDir }: Config, clock: Clock): Promise<OpenLedger> {
  if (storage.type === "postgres") {
    const { openPostgres } = await import("../store/postgres/open-postgres.js");
    const database = await openPostgres(storage);
    return { database, clock: database.clock, alone: false };
  }
  const { openSqlite } = await import("../store/sqlite/open-sqlite.js");
  // The lock on the data directory is held by now: nobody else writes to what is in it.
  return { database: openSqlite(join(dataDir, "ledger.db")), clock, alone: true };
}
