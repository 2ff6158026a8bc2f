import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describePeerStore } from "../../peers/peer-store.contract.js";
import { QueueRoom } from "../ledger/queue-room.js";
import { sqlPlanStore } from "../plans/plan-store.js";
import { type Database, sqlLedger } from "../sql-ledger.js";
import { openSqlite } from "../sqlite/open-sqlite.js";
import { sqlPeerStore } from "./peer-store.js";

const storesOn = (database: Database) => {
  const room = new QueueRoom();
  return {
    ledger: sqlLedger(database, room),
    plans: sqlPlanStore(database, room),
    peers: sqlPeerStore(database),
  };
};

describePeerStore("peers in a SQLite file", async () => {
  const directory = mkdtempSync(join(tmpdir(), "nuncio-peers-"));
  const stores = storesOn(openSqlite(join(directory, "ledger.db")));
  return {
    ...stores,
    async close() {
      await stores.ledger.close();
      rmSync(directory, { recursive: true });
    },
  };
});

describePeerStore("peers in memory", async () => {
  const stores = storesOn(openSqlite(":memory:"));
  return { ...stores, close: () => stores.ledger.close() };
});
