import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { sqlLedger } from "../dist/store/sql-ledger.js";
import { openSqlite } from "../dist/store/sqlite/open-sqlite.js";
import { ledgerOf } from "./ledger-file.mjs";
import { nodeAlone, startDaemon, writeConfig } from "./processes.mjs";
import { PERSONAS } from "./seed.mjs";
import { median } from "./statistics.mjs";

const Database = createRequire(import.meta.url)("better-sqlite3");
const INTERRUPTED = 10_000;

/** What is pending for them is begun and stays so, so that every start finds the same. */
const CONFIG = `
dataDir: ./data
server: { port: 0 }
queue: { concurrency: 32, drainMs: 0 }
personas:
${PERSONAS.map((name) => `  - { name: ${name}, runtime: scripted, visibility: public, script: [{ steps: [{ hang: true }] }] }`).join("\n")}
`;

/** Q6: from the start of the process until a request is answered, and what a crash in the middle of much work costs. */
export async function q6({ directory, rounds, many, say }) {
  const home = join(directory, "q6");
  const homes = { empty: join(home, "empty"), full: join(home, "full") };
  for (const path of Object.values(homes)) mkdirSync(join(path, "data"), { recursive: true });
  const file = join(homes.full, "data", "ledger.db");
  await ledgerOf(many, file, say);
  const starts = await startTimes(homes, 3 * rounds);
  const recovery = await recoveryTimes(file, rounds);
  return [
    {
      id: "Q6",
      what: "start to serving, empty ledger ÷ node -e 0",
      goal: 8,
      atMost: true,
      figure: median(starts.map((m) => m.empty / m.node)),
      detail: `${ms(starts, "empty")} ms against ${ms(starts, "node")} ms`,
    },
    {
      id: "Q6",
      what: `the same with ${many} tasks ÷ empty ledger`,
      goal: 2,
      atMost: true,
      figure: median(starts.map((m) => m.full / m.empty)),
      detail: `${ms(starts, "full")} ms against ${ms(starts, "empty")} ms`,
    },
    {
      id: "Q6",
      what: `recovery of ${INTERRUPTED} tasks ÷ updating as many rows`,
      goal: 3,
      atMost: true,
      figure: median(recovery.map((m) => m.recovered / m.updated)),
      detail: `${ms(recovery, "recovered")} ms against ${ms(recovery, "updated")} ms in groups of ${ms(recovery, "group")}`,
    },
  ];
}

const ms = (measured, name) => Math.round(median(measured.map((m) => m[name])));

async function startTimes(homes, rounds) {
  const configs = { empty: writeConfig(homes.empty, CONFIG), full: writeConfig(homes.full, CONFIG) };
  const measured = [];
  for (let round = 0; round <= rounds; round++) {
    const row = { node: nodeAlone() };
    for (const [name, config] of Object.entries(configs)) row[name] = await startToServing(config);
    // The first round makes the empty ledger, and reads all files from the disk.
    if (round > 0) measured.push(row);
  }
  return measured;
}

/** It serves when it answers: work that it finds at the start must not keep callers waiting. */
async function startToServing(config) {
  const startedAt = performance.now();
  const { port, stop } = await startDaemon(config);
  const response = await fetch(`http://127.0.0.1:${port}/healthz`);
  const taken = performance.now() - startedAt;
  if (response.status !== 200) throw new Error(`/healthz answered ${response.status}`);
  await stop();
  return taken;
}

/**
 * The tasks are of a worker that is gone. What they are compared with is the least that a recovery has to do: the
 * same rows of the same file, updated one by one by their keys with what recovery sets, in transactions of the same
 * size. Recovery also finds the tasks, and writes an event for each.
 */
async function recoveryTimes(file, rounds) {
  const measured = [];
  for (let round = 0; round <= rounds; round++) {
    interrupt(file);
    const { recovered, group } = await recoverAll(file);
    interrupt(file);
    const updated = updateAll(file, group);
    if (round > 0) measured.push({ recovered, updated, group });
  }
  return measured;
}

const SOME = `(tenant, id) IN (SELECT tenant, id FROM tasks WHERE tenant = 'default' ORDER BY id LIMIT ${INTERRUPTED})`;

function open(file) {
  const db = new Database(file);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.pragma("wal_autocheckpoint = 4000");
  db.pragma("cache_size = -65536");
  return db;
}

/** Tasks of a month ago: each has run once and is in the middle of its second attempt. */
function interrupt(file) {
  const db = open(file);
  db.exec(`UPDATE tasks SET state = 'processing', attempt = 1, lease_owner = 'gone', lease_until = 0, run_at = created_at
    WHERE ${SOME}`);
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
}

async function recoverAll(file) {
  const database = openSqlite(file);
  const ledger = sqlLedger(database);
  let commits = 0;
  database.onCommit(() => {
    commits += 1;
  });
  const startedAt = performance.now();
  let total = 0;
  for (let taken = 1; taken > 0; ) {
    // As a worker asks.
    const lost = { now: Date.now(), owner: "bench", running: new Map(), limit: 5000, alone: true };
    const { requeued, failed } = await ledger.system.recover(lost);
    taken = requeued + failed;
    total += taken;
  }
  const recovered = performance.now() - startedAt;
  await ledger.close();
  if (total < INTERRUPTED) throw new Error(`only ${total} of ${INTERRUPTED} tasks were recovered`);
  return { recovered, group: Math.round(total / commits) };
}

function updateAll(file, group) {
  const db = open(file);
  const keys = db.prepare("SELECT tenant, id FROM tasks WHERE state = 'processing' AND lease_owner = 'gone'").all();
  const update = db.prepare(`UPDATE tasks SET state = 'pending', run_at = created_at, lease_owner = NULL,
    lease_until = NULL, seq = seq + 1, updated_at = ? WHERE tenant = ? AND id = ?`);
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  const now = Date.now();
  const startedAt = performance.now();
  for (let from = 0; from < keys.length; from += group) {
    begin.run();
    for (const { tenant, id } of keys.slice(from, from + group)) update.run(now, tenant, id);
    commit.run();
  }
  const taken = performance.now() - startedAt;
  db.close();
  if (keys.length !== INTERRUPTED) throw new Error(`${keys.length} tasks were interrupted`);
  return taken;
}
