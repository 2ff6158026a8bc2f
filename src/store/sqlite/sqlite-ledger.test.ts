import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeTaskLedger } from "../../tasks/task-ledger.contract.js";
import { sqlLedger } from "../sql-ledger.js";
import { openSqlite } from "./open-sqlite.js";

describeTaskLedger("the ledger in a SQLite file", async () => {
  const directory = mkdtempSync(join(tmpdir(), "nuncio-ledger-"));
  const ledger = sqlLedger(openSqlite(join(directory, "nuncio.db")));
  return {
    ledger,
    async close() {
      await ledger.close();
      rmSync(directory, { recursive: true });
    },
  };
});

describeTaskLedger("the ledger in memory", async () => {
  const ledger = sqlLedger(openSqlite(":memory:"));
  return { ledger, close: () => ledger.close() };
});
