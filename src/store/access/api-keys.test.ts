import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeAccessStore } from "../../access/access-store.contract.js";
import { KeyCache } from "../../access/key-cache.js";
import { openSqlite } from "../sqlite/open-sqlite.js";
import { sqlAccessStore } from "./api-keys.js";

describeAccessStore("keys in a SQLite file", async () => {
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

describeAccessStore("keys in memory", async () => {
  const database = openSqlite(":memory:");
  return { store: sqlAccessStore(database), close: () => database.close() };
});

describeAccessStore("keys in memory, remembered", async () => {
  const database = openSqlite(":memory:");
  return { store: new KeyCache(sqlAccessStore(database)), close: () => database.close() };
});
