import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { PersonaRegistry } from "../dist/personas/registry.js";
import { ScriptedRunner } from "../dist/runtimes/scripted/scripted-runner.js";
import { systemClock } from "../dist/shared/clock.js";
import { newId } from "../dist/shared/ids.js";
import { one } from "../dist/store/sql/command.js";
import { sql } from "../dist/store/sql/statement.js";
import { sqlLedger } from "../dist/store/sql-ledger.js";
import { openSqlite } from "../dist/store/sqlite/open-sqlite.js";
import { bodyHash } from "../dist/tasks/body-hash.js";
import { TaskFollowers } from "../dist/tasks/follow.js";
import { ledgerTaskService } from "../dist/tasks/ledger-task-service.js";
import { Worker } from "../dist/tasks/worker.js";
import { hostTools, ToolCatalog } from "../dist/tools/catalog.js";
import { toolBoxFactory } from "../dist/tools/tool-box.js";
import { median, quantile } from "./statistics.mjs";

const Database = createRequire(import.meta.url)("better-sqlite3");

/** Parents in flight. The guard of the target counts its unfinished tasks, so this is also what a guard costs. */
const IN_FLIGHT = 32;
const PER_SECOND = 100;
/** Out of reach: at a fixed pace a machine that stands still for a moment has more in flight, and none may be rejected. */
const PER_TARGET = 1000;

/**
 * Q3: a scripted parent awaits a scripted child and replies, without an edge in between. Its rate is compared with what
 * the bare database writes in groups of the same size, row for row; its latency with one bare commit.
 */
export async function q3({ directory, rounds, seconds }) {
  const home = join(directory, "q3");
  mkdirSync(home);
  const ours = delegations(join(home, "ledger.db"));
  const bare = bareDatabase(join(home, "bare.db"));
  const measured = [];
  await ours.flood(1000);
  bare.rowsPerSecond(32, 500);
  for (let round = 0; round < rounds; round++) {
    const flood = await ours.flood(seconds * 1000);
    const rows = bare.rowsPerSecond(Math.round(flood.rowsPerCommit), 1000);
    const latency = await ours.pace(seconds * 1000);
    const commit = await bare.commitLatency(seconds * 500);
    measured.push({ ...flood, rows, latency, commit });
  }
  await ours.stop();
  bare.close();
  const share = median(measured.map((m) => m.perSecond / (m.rows / m.rowsPerDelegation)));
  const latency = median(measured.map((m) => m.latency / m.commit));
  const of = (name, digits = 0) => median(measured.map((m) => m[name])).toFixed(digits);
  return [
    {
      id: "Q3",
      what: "delegations ÷ (bare grouped rows ÷ rows per delegation)",
      goal: 0.5,
      figure: share,
      detail: `${of("perSecond")}/s; ${of("rows")} bare rows/s in groups of ${of("rowsPerCommit")}; ${of("rowsPerDelegation", 1)} rows each`,
    },
    {
      id: "Q3",
      what: `p50 latency at ${PER_SECOND}/s ÷ bare commit`,
      goal: 6,
      atMost: true,
      figure: latency,
      detail: `${of("latency", 2)} ms against ${of("commit", 2)} ms`,
    },
  ];
}

function delegations(file) {
  const database = openSqlite(file);
  const ledger = sqlLedger(database);
  const persona = (name, rules, allow) => ({
    name,
    tenant: "default",
    description: "",
    visibility: "private",
    maxConcurrent: IN_FLIGHT,
    skills: [],
    capabilities: { allow, requireApproval: [] },
    streaming: true,
    push: true,
    extendedCard: true,
    followUps: true,
    runtime: { type: "scripted", rules },
  });
  const steps = [
    { send: { to: "child", message: "{{input.text}}", await: true, as: "answer" } },
    { reply: "{{results.answer}}" },
  ];
  const personas = [persona("parent", [{ steps }], ["persona.send:*"]), persona("child", [], [])];
  const registry = new PersonaRegistry(personas);
  const limits = {
    maxHops: 4,
    maxAttempts: 3,
    maxConcurrentPerTarget: PER_TARGET,
    maxChildrenPerTask: 20,
    maxTasksPerRoot: 200,
  };
  const catalog = new ToolCatalog(hostTools({ ledger, personas: registry, limits, clock: systemClock }));
  const runner = new ScriptedRunner((task) => registry.get(task.tenant, task.persona).runtime.rules, systemClock);
  const worker = new Worker({
    ledger,
    owner: newId(),
    clock: systemClock,
    personas,
    runnerFor: () => runner,
    tools: toolBoxFactory(catalog, registry),
    concurrency: 2 * IN_FLIGHT,
    leaseMs: 30_000,
    backoffBaseMs: 1000,
    backoffMaxMs: 60_000,
    alone: true,
    onError: (error) => console.error(error),
  });
  worker.start();
  const service = ledgerTaskService({ ledger, worker, clock: systemClock, maxAttempts: 3 });
  const followers = new TaskFollowers(ledger);
  let commits = 0;
  database.onCommit(() => {
    commits += 1;
  });
  const totalChanges = sql("SELECT total_changes() AS rows");
  const rowsWritten = async () => (await database.read(() => one(totalChanges, {}))).rows;

  async function delegate() {
    const message = { messageId: newId(), role: "user", parts: [{ text: "hello from the bench" }] };
    const { task } = await service.submit({
      tenant: "default",
      persona: "parent",
      principal: "bench",
      trigger: "api",
      message,
      bodyHash: bodyHash(message),
    });
    const start = {
      ...task,
      history: [message],
      work: message,
      statusMessage: null,
      statusAt: 0,
      started: false,
      artifacts: [],
    };
    const ended = await followers.untilSettled(start, new AbortController().signal);
    if (ended.artifacts[0]?.parts[0]?.text !== "hello from the bench")
      throw new Error(`${task.id} is ${ended.state}: ${JSON.stringify(ended.statusMessage ?? ended.artifacts)}`);
  }

  return {
    /** As many as it takes, for a time. */
    async flood(ms) {
      const before = { rows: await rowsWritten(), commits };
      const startedAt = performance.now();
      let done = 0;
      const lane = async () => {
        while (performance.now() - startedAt < ms) {
          await delegate();
          done += 1;
        }
      };
      await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
      const elapsed = (performance.now() - startedAt) / 1000;
      const rows = (await rowsWritten()) - before.rows;
      return {
        perSecond: done / elapsed,
        rowsPerDelegation: rows / done,
        rowsPerCommit: rows / (commits - before.commits),
      };
    },
    /** At a fixed pace; the median time of one, ms. */
    async pace(ms) {
      const times = [];
      const waiting = [];
      const count = Math.floor((ms / 1000) * PER_SECOND);
      const startedAt = performance.now();
      for (let i = 0; i < count; i++) {
        const due = startedAt + (i * 1000) / PER_SECOND;
        const early = due - performance.now();
        if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
        const from = performance.now();
        waiting.push(delegate().then(() => times.push(performance.now() - from)));
      }
      await Promise.all(waiting);
      return quantile(times, 0.5);
    },
    async stop() {
      followers.close();
      await worker.drain(1000);
      await ledger.close();
    },
  };
}

/** The same database, driver and settings, and rows such as events are; nothing else. */
function bareDatabase(file) {
  const db = new Database(file);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.pragma("wal_autocheckpoint = 4000");
  db.exec(
    "CREATE TABLE rows (tenant TEXT, task TEXT, seq INTEGER, at INTEGER, body TEXT, PRIMARY KEY (tenant, task, seq)) WITHOUT ROWID",
  );
  const insert = db.prepare("INSERT INTO rows VALUES (?, ?, ?, ?, ?)");
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  const body = JSON.stringify({ type: "status", state: "processing", text: "x".repeat(80) });
  const group = (size) => {
    const task = newId();
    begin.run();
    for (let seq = 1; seq <= size; seq++) insert.run("default", task, seq, Date.now(), body);
    commit.run();
  };
  return {
    rowsPerSecond(size, ms) {
      const startedAt = performance.now();
      let rows = 0;
      while (performance.now() - startedAt < ms) {
        group(size);
        rows += size;
      }
      return (rows / (performance.now() - startedAt)) * 1000;
    },
    /** The median time of one row in a commit of its own, at the pace of the delegations, ms. */
    async commitLatency(ms) {
      const times = [];
      const end = performance.now() + ms;
      while (performance.now() < end) {
        await new Promise((resolve) => setTimeout(resolve, 1000 / PER_SECOND));
        const from = performance.now();
        group(1);
        times.push(performance.now() - from);
      }
      return quantile(times, 0.5);
    },
    close: () => db.close(),
  };
}
