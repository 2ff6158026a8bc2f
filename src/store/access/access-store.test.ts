import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeAccessStore, describeKeyStore } from "../../access/access-store.contract.js";
import { KeyCache } from "../../access/key-cache.js";
import { openSqlite } from "../sqlite/open-sqlite.js";
import { sqlAccessStore } from "./access-store.js";

describeAccessStore("access in a SQLite file", async () => {
  const directory = mkdtempSync(join(tmpdir(), "nuncio-keys-"));
  const database = openSqlite(join(directory, "ledger.db"));
  return {
    store: sqlAccessStore(database),
    async close() {
      await database.close();
      rmSync(directory, { recursive: true });
    },
  };
});

describeAccessStore("access in memory", async () => {
  const database = openSqlite(":memory:");
  return { store: sqlAccessStore(database), close: () => database.close() };
});

describeKeyStore("keys in memory, remembered", async () => {
  const database = openSqlite(":memory:");
  return { store: new KeyCache(sqlAccessStore(database)), close: () => database.close() };
});

describeKeyStore("keys in memory, all known", async () => {
  const database = openSqlite(":memory:");
  const cache = new KeyCache(sqlAccessStore(database), { alone: true });
  await cache.load();
  return { store: cache, close: () => database.close() };
});
