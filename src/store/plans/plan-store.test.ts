import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describePlanStore } from "../../plans/plan-store.contract.js";
import { QueueRoom } from "../ledger/queue-room.js";
import { type Database, sqlLedger } from "../sql-ledger.js";
import { openSqlite } from "../sqlite/open-sqlite.js";
import { sqlPlanStore } from "./plan-store.js";

const storesOn = (database: Database) => {
  const room = new QueueRoom();
  const ledger = sqlLedger(database, room);
  return { ledger, plans: sqlPlanStore(database, room) };
};

describePlanStore("planned tasks in a SQLite file", async () => {
  const directory = mkdtempSync(join(tmpdir(), "nuncio-planned-"));
  const stores = storesOn(openSqlite(join(directory, "ledger.db")));
  return {
    ...stores,
    async close() {
      await stores.ledger.close();
      rmSync(directory, { recursive: true });
    },
  };
});

describePlanStore("planned tasks in memory", async () => {
  const stores = storesOn(openSqlite(":memory:"));
  return { ...stores, close: () => stores.ledger.close() };
});
