import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sqlAccessStore } from "../access/access-store.js";
import { sqlGrantStore } from "../grants/grant-store.js";
import { QueueRoom } from "../ledger/queue-room.js";
import { sqlPeerStore } from "../peers/peer-store.js";
import { sqlPlanStore } from "../plans/plan-store.js";
import { sqlSealedStore } from "../sealed/sealed-store.js";
import { allStatements } from "../sql/statement.js";
import { sqlLedger } from "../sql-ledger.js";
import { forSqlite } from "./dialect.js";
import type { SqliteDriver } from "./driver.js";
import { openDriver } from "./open-driver.js";
import { openSqlite } from "./open-sqlite.js";

/** These are small by nature: keys, plans and grants of the operator, and what waits for the operator's decision. */
const MAY_BE_SCANNED =
  /^(SCAN (api_keys|d|dead_letters|p|tasks USING (COVERING )?INDEX tasks_(lane|delegated))\b|SEARCH grants )/;
/** A list of everything goes along the primary key, from the newest, and stops at its limit. */
const ALONG_KEY = /^SEARCH tasks USING INDEX sqlite_autoindex_tasks_1 \(tenant=\? AND id[<=]\?\)$/;
/** Counting what is pending stops at the bound of the queue. */
const UP_TO_A_BOUND = /^SEARCH tasks USING COVERING INDEX tasks_runnable \(tenant=\?\)$/;

let directory: string;
let driver: SqliteDriver;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "nuncio-plans-"));
  const file = join(directory, "ledger.db");
  const database = openSqlite(file);
  sqlLedger(database);
  sqlAccessStore(database);
  sqlSealedStore(database);
  sqlPlanStore(database, new QueueRoom());
  sqlGrantStore(database, new QueueRoom());
  sqlPeerStore(database);
  await database.close();
  driver = openDriver(file);
});

afterAll(() => {
  driver.close();
  rmSync(directory, { recursive: true });
});

it("Q4 no statement of the store reads tasks, events or journal from end to end", () => {
  const slow: string[] = [];
  for (const { text: positional, names } of allStatements()
    .filter(({ locks }) => !locks)
    .map(forSqlite)) {
    const plan = driver.prepare(`EXPLAIN QUERY PLAN ${positional}`).all(names.map(() => null));
    for (const { detail } of plan) {
      const step = String(detail);
      if (MAY_BE_SCANNED.test(step) || ALONG_KEY.test(step) || UP_TO_A_BOUND.test(step)) continue;
      // A key whose tenant alone is compared is a walk over everything that the tenant has.
      if (/^SCAN (tasks|events|journal|submissions|push_subscriptions|p)\b/.test(step) || /\(tenant=\?\)$/.test(step)) {
        slow.push(`${step}\n${positional}`);
      }
    }
  }
  expect(allStatements().length).toBeGreaterThan(30);
  expect(slow).toEqual([]);
});
