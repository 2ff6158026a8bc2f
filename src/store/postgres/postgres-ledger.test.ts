import { afterAll } from "vitest";
import { Places } from "../../../test/support/postgres/places.js";
import { storesOn } from "../../../test/support/stores-on.js";
import { describeAccessStore, describeKeyStore } from "../../access/access-store.contract.js";
import { KeyCache } from "../../access/key-cache.js";
import { describePeerStore } from "../../peers/peer-store.contract.js";
import { describeGrantStore } from "../../plans/grant-store.contract.js";
import { describePlanStore } from "../../plans/plan-store.contract.js";
import { describeTaskLedger } from "../../tasks/task-ledger.contract.js";
import { sqlAccessStore } from "../access/access-store.js";
import { sqlLedger } from "../sql-ledger.js";

const places = new Places();
afterAll(() => places.close());

describeTaskLedger("the ledger on PostgreSQL", async () => {
  const { database, leave } = await places.take();
  return { ledger: sqlLedger(database), elsewhere: sqlLedger(database), close: leave };
});

describeAccessStore("access on PostgreSQL", async () => {
  const { database, leave } = await places.take();
  return { store: sqlAccessStore(database), close: leave };
});

describeKeyStore("keys on PostgreSQL, remembered", async () => {
  const { database, leave } = await places.take();
  return { store: new KeyCache(sqlAccessStore(database)), close: leave };
});

async function stores() {
  const { database, leave } = await places.take();
  return { ...storesOn(database), close: leave };
}

describePlanStore("planned tasks on PostgreSQL", stores);
describeGrantStore("grants on PostgreSQL", stores);
describePeerStore("peers on PostgreSQL", stores);
