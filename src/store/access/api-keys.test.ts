import { describeAccessStore } from "../../access/access-store.contract.js";
import { KeyCache } from "../../access/key-cache.js";
import { openSqlite } from "../sqlite/open-sqlite.js";
import { sqlAccessStore } from "./api-keys.js";

describeAccessStore("keys in SQLite", async () => {
  const database = openSqlite(":memory:");
  return { store: sqlAccessStore(database), close: () => database.close() };
});

describeAccessStore("keys in SQLite, remembered", async () => {
  const database = openSqlite(":memory:");
  return { store: new KeyCache(sqlAccessStore(database)), close: () => database.close() };
});
