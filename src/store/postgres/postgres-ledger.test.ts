import { afterAll } from "vitest";
import { Places } from "../../../test/support/postgres/places.js";
import { describeAccessStore, describeKeyStore } from "../../access/access-store.contract.js";
import { KeyCache } from "../../access/key-cache.js";
import { describePeerStore } from "../../peers/peer-store.contract.js";
import { describeGrantStore } from "../../plans/grant-store.contract.js";
import { describePlanStore } from "../../plans/plan-store.contract.js";
import { describeTaskLedger } from "../../tasks/task-ledger.contract.js";
import { sqlAccessStore } from "../access/access-store.js";
import { sqlGrantStore } from "../grants/grant-store.js";
import { QueueRoom } from "../ledger/queue-room.js";
import { sqlPeerStore } from "../peers/peer-store.js";
import { sqlPlanStore } from "../plans/plan-store.js";
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

describePlanStore("planned tasks on PostgreSQL", async () => {
  const { database, leave } = await places.take();
  const room = new QueueRoom();
  return { ledger: sqlLedger(database, room), plans: sqlPlanStore(database, room), close: leave };
});

describeGrantStore("grants on PostgreSQL", async () => {
  const { database, leave } = await places.take();
  const room = new QueueRoom();
  const ledger = sqlLedger(database, room);
  return { ledger, plans: sqlPlanStore(database, room), grants: sqlGrantStore(database, room), close: leave };
});

describePeerStore("peers on PostgreSQL", async () => {
  const { database, leave } = await places.take();
  const room = new QueueRoom();
  const ledger = sqlLedger(database, room);
  return { ledger, plans: sqlPlanStore(database, room), peers: sqlPeerStore(database), close: leave };
});
