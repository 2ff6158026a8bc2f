import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqlGrantStore } from "../../src/store/grants/grant-store.js";
import { QueueRoom } from "../../src/store/ledger/queue-room.js";
import { sqlPeerStore } from "../../src/store/peers/peer-store.js";
import { sqlPlanStore } from "../../src/store/plans/plan-store.js";
import { type Database, sqlLedger } from "../../src/store/sql-ledger.js";
import { openSqlite } from "../../src/store/sqlite/open-sqlite.js";

/** The ledger and what stands beside it on one database, as a daemon puts them together. */
export function storesOn(database: Database) {
  const room = new QueueRoom();
  return {
    ledger: sqlLedger(database, room),
    plans: sqlPlanStore(database, room),
    grants: sqlGrantStore(database, room),
    peers: sqlPeerStore(database),
  };
}

export type OpenStores = ReturnType<typeof storesOn> & { close(): Promise<void> };

/** In a file of their own, which is gone when they are closed. */
export async function storesInFile(): Promise<OpenStores> {
  const directory = mkdtempSync(join(tmpdir(), "nuncio-stores-"));
  const stores = storesOn(openSqlite(join(directory, "ledger.db")));
  return {
    ...stores,
    async close() {
      await stores.ledger.close();
      rmSync(directory, { recursive: true });
    },
  };
}

export async function storesInMemory(): Promise<OpenStores> {
  const stores = storesOn(openSqlite(":memory:"));
  return { ...stores, close: () => stores.ledger.close() };
}
