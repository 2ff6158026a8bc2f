import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeGrantStore } from "../../plans/grant-store.contract.js";
import { QueueRoom } from "../ledger/queue-room.js";
import { sqlPlanStore } from "../plans/plan-store.js";
import { type Database, sqlLedger } from "../sql-ledger.js";
import { openSqlite } from "../sqlite/open-sqlite.js";
import { sqlGrantStore } from "./grant-store.js";

const storesOn = (database: Database) => {
  const room = new QueueRoom();
  const ledger = sqlLedger(database, room);
  return { ledger, plans: sqlPlanStore(database, room), grants: sqlGrantStore(database, room) };
};

describeGrantStore("grants in a SQLite file", async () => {
  const directory = mkdtempSync(join(tmpdir(), "nuncio-grants-"));
  const stores = storesOn(openSqlite(join(directory, "ledger.db")));
  return {
    ...stores,
    async close() {
      await stores.ledger.close();
      rmSync(directory, { recursive: true });
    },
  };
});

describeGrantStore("grants in memory", async () => {
  const stores = storesOn(openSqlite(":memory:"));
  return { ...stores, close: () => stores.ledger.close() };
});
