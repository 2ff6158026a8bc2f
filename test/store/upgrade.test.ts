import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test as base, describe, expect } from "vitest";
import { checkLedger } from "../../src/store/check/check-ledger.js";
import { MIGRATIONS } from "../../src/store/schema/migrations.js";
import type { SqlRow } from "../../src/store/sql/statement.js";
import { sqlLedger } from "../../src/store/sql-ledger.js";
import { openDriver } from "../../src/store/sqlite/open-driver.js";
import { databaseOn, openSqlite } from "../../src/store/sqlite/open-sqlite.js";
import { World } from "../../src/tasks/ledger-contract/world.contract.js";
import { isTerminal } from "../../src/tasks/task-state.js";
import { startDaemon } from "../support/daemon/start-daemon.js";
import { allTasks, resultOf, untilSettled } from "../support/daemon/watch.js";
import { dumpSqlite } from "../support/ledgers/dump-sqlite.js";
import { everyState } from "../support/ledgers/every-state.js";
import { rowsOf, storedLedger, withFile } from "../support/ledgers/stored-ledger.js";

const DIST = new URL("../../dist/store/", import.meta.url);
const TASKS = "SELECT * FROM tasks ORDER BY tenant, id";
const VERSION = "PRAGMA user_version";
const NOW = { user_version: MIGRATIONS.length };

const it = base.extend<{ file: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
  file: async ({}, use) => {
    const directory = mkdtempSync(join(tmpdir(), "nuncio-upgrade-"));
    await use(join(directory, "ledger.db"));
    rmSync(directory, { recursive: true });
  },
});

describe("a ledger of schema 1", () => {
  it("X11 is brought up to date with all that is in it, and contradicts itself nowhere", async ({ file }) => {
    storedLedger(1, file);
    const everything = () =>
      ["tasks", "events", "journal", "submissions", "waits", "dead_letters", "api_keys"].map((table) =>
        rowsOf(file, `SELECT * FROM ${table}`),
      );
    const before = everything();
    expect(new Set(before[0]?.map(({ state }) => state)).size, "states").toBe(8);

    const database = openSqlite(file);
    expect(await database.read(checkLedger)).toEqual([]);
    await database.close();
    expect(rowsOf(file, VERSION)).toEqual([NOW]);
    expect(everything()).toEqual(before.map((rows) => rows.map((row) => expect.objectContaining(row))));
  });

  it("X11 goes on under a daemon: what was unfinished comes to its end, what had ended is as it was", async () => {
    const script = [{ steps: [{ chunk: "written by " }, { reply: "{{input.text}}" }] }];
    const personas = [
      { name: "writer", runtime: "scripted", script },
      { name: "editor", runtime: "scripted", script },
      { name: "writer", tenant: "acme", runtime: "scripted", script },
    ];
    const daemon = await startDaemon({ personas });
    await daemon.kill("SIGTERM");
    const file = join(daemon.dataDir, "ledger.db");
    rmSync(file);
    storedLedger(1, file);
    const before = new Map(rowsOf(file, TASKS).map((row) => [row.id as string, row]));
    await daemon.restart();

    const { client } = daemon;
    for (const task of await allTasks(client)) {
      const asks = task.waitingFor === "input" || task.waitingFor === "auth";
      if (asks && task.askingChildId === null) await client.answer(task.id, "this one");
    }
    for (const { id } of before.values() as Iterable<SqlRow & { id: string }>) await untilSettled(client, id);
    const after = await allTasks(client);
    expect(after.map(({ id }) => id).sort()).toEqual([...before.keys()].sort());
    for (const { id, state } of after) {
      const was = before.get(id)?.state as string;
      expect(state, id).toBe(["completed", "failed", "rejected", "canceled"].includes(was) ? was : "completed");
    }
    const [outlined] = rowsOf(file, "SELECT task_id FROM journal WHERE key = 'outline'");
    expect(resultOf(await client.task(outlined?.task_id as string))).toBe("The first half, the second.");
    expect((await client.keys()).keys).toMatchObject([{ name: "ci", tenant: "default" }]);
    expect((await client.deadLetters()).tasks).toHaveLength(2);
    await daemon.kill("SIGTERM");
    const database = openSqlite(file);
    expect(await database.read(checkLedger)).toEqual([]);
    await database.close();
  });

  it("X11 a task that a newer version has written to is left alone, and the daemon serves all others", async () => {
    const script = [{ steps: [{ reply: "done" }] }];
    const daemon = await startDaemon({ personas: [{ name: "writer", runtime: "scripted", script }] });
    await daemon.kill("SIGTERM");
    const file = join(daemon.dataDir, "ledger.db");
    rmSync(file);
    storedLedger(1, file);
    const runnable = rowsOf(
      file,
      `SELECT id FROM tasks WHERE tenant = 'default' AND state = 'pending' AND blocked = 0`,
    );
    const newer = runnable[0]?.id as string;
    withFile(file, (driver) => driver.prepare("UPDATE events SET format = 2 WHERE task_id = ?").run([newer]));
    await daemon.restart();

    const { client } = daemon;
    const line = await daemon.logged(({ taskId }) => taskId === newer);
    expect(line.msg).toBe("reading a task failed");
    expect(JSON.stringify(line.err)).toContain(`event 1 of task ${newer} has format 2, and only 1 is known here`);
    await expect(client.task(newer)).rejects.toMatchObject({ code: "unavailable", reason: "FORMAT_TOO_NEW" });
    await untilSettled(client, (await client.send({ persona: "writer", text: "next" })).id);
    for (const { id } of runnable.slice(1)) await untilSettled(client, id as string);
    expect((await allTasks(client)).find(({ id }) => id === newer)).toMatchObject({ state: "pending" });

    await daemon.kill("SIGTERM");
    withFile(file, (driver) => driver.exec("UPDATE events SET format = 1; UPDATE tasks SET run_at = created_at"));
    await daemon.restart();
    expect(resultOf(await untilSettled(client, newer))).toBe("done");
  });
});

describe("migrations", () => {
  it("X11 of two processes that open an old ledger at once, one upgrades it and both go on", async ({ file }) => {
    storedLedger(1, file);
    const before = rowsOf(file, "SELECT tenant, id, state FROM tasks ORDER BY id");
    const openers: ChildProcess[] = [];
    // Both have seen the old version, and wait for the lock that stands before it is looked at again.
    await withLock(file, async () => {
      openers.push(await opener(file, "BEGIN IMMEDIATE", "tell"), await opener(file, "BEGIN IMMEDIATE", "tell"));
    });
    for (const child of openers) expect(await exitOf(child)).toEqual([0, null]);
    expect(rowsOf(file, VERSION)).toEqual([NOW]);
    expect(rowsOf(file, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    expect(rowsOf(file, "SELECT tenant, id, state FROM tasks ORDER BY id")).toEqual(before);
  });

  it.each([
    ["between two migrations", "BEGIN IMMEDIATE", 2, 1],
    ["within one, before its commit", "COMMIT", 2, 1],
    ["within the first", "COMMIT", 1, 0],
  ])("X11 a process that dies %s leaves a ledger that the next start upgrades", async (_when, at, time, version) => {
    const directory = mkdtempSync(join(tmpdir(), "nuncio-upgrade-"));
    const file = join(directory, "ledger.db");
    expect(await exitOf(await opener(file, at, "die", time))).toEqual([null, "SIGKILL"]);
    expect(rowsOf(file, VERSION)).toEqual([{ user_version: version }]);
    const world = new World(sqlLedger(openSqlite(file)));
    await everyState(world);
    expect((await world.ledger.system.list({ limit: 100 })).items.filter(({ state }) => isTerminal(state))).not.toEqual(
      [],
    );
    await world.ledger.close();
    expect(rowsOf(file, VERSION)).toEqual([NOW]);
    rmSync(directory, { recursive: true });
  });
});

/** With NUNCIO_WRITE_LEDGER=FILE that file is written: what the next schema's upgrade test begins with. */
it("X11 a ledger with a task in every state is the same after it was written out as text and read again", async ({
  file,
}) => {
  const driver = openDriver(file);
  const world = new World(sqlLedger(databaseOn(driver)));
  // In the past of whoever goes on with it.
  world.now = Date.UTC(2026, 0, 1);
  await everyState(world);
  const text = dumpSqlite(driver);
  await world.ledger.close();
  const again = `${file}-again`;
  withFile(again, (driver) => driver.exec(text));
  expect(rowsOf(again, TASKS)).toEqual(rowsOf(file, TASKS));
  expect(rowsOf(again, VERSION)).toEqual([NOW]);
  const { NUNCIO_WRITE_LEDGER: target } = process.env;
  if (target !== undefined) writeFileSync(target, text);
});

/** Runs `during` while this process holds the writer's lock. */
async function withLock(file: string, during: () => Promise<void>): Promise<void> {
  const driver = openDriver(file);
  driver.exec("BEGIN IMMEDIATE");
  await during();
  driver.close();
}

/**
 * A process that opens and upgrades the ledger. When it comes to the statement `at` for the nth time it says so, or dies.
 * Resolves when it has said so or has ended.
 */
async function opener(file: string, at: string, then: "tell" | "die", nth = 1): Promise<ChildProcess> {
  const program = `
    import { writeSync } from "node:fs";
    const [file, at, then, nth] = process.argv.slice(1);
    const { openDriver } = await import("${new URL("sqlite/open-driver.js", DIST)}");
    const { databaseOn } = await import("${new URL("sqlite/open-sqlite.js", DIST)}");
    const driver = openDriver(file);
    let left = Number(nth);
    const exec = (text) => {
      if (text === at && --left === 0) {
        if (then === "die") process.kill(process.pid, "SIGKILL");
        writeSync(1, "there\\n");
      }
      driver.exec(text);
    };
    await databaseOn({ __proto__: driver, exec }).close();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, file, at, then, String(nth)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout as NodeJS.ReadableStream);
  await once(lines, then === "tell" ? "line" : "close");
  return child;
}

async function exitOf(child: ChildProcess): Promise<[code: number | null, signal: string | null]> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return [child.exitCode, child.signalCode];
}
