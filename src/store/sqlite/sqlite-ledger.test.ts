import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, describe, expect } from "vitest";
import { newId } from "../../shared/ids.js";
import { userSays } from "../../tasks/ledger-contract/messages.contract.js";
import { TENANT, World } from "../../tasks/ledger-contract/world.contract.js";
import { describeTaskLedger } from "../../tasks/task-ledger.contract.js";
import { checkLedger } from "../check/check-ledger.js";
import { sqlLedger } from "../sql-ledger.js";
import type { SqliteDriver, SqliteStatement } from "./driver.js";
import { openDriver } from "./open-driver.js";
import { databaseOn, openSqlite } from "./open-sqlite.js";

describeTaskLedger("the ledger in a SQLite file", async () => {
  const directory = mkdtempSync(join(tmpdir(), "nuncio-ledger-"));
  const database = openSqlite(join(directory, "nuncio.db"));
  const ledger = sqlLedger(database);
  return {
    ledger,
    elsewhere: sqlLedger(database),
    async close() {
      await ledger.close();
      rmSync(directory, { recursive: true });
    },
  };
});

describeTaskLedger("the ledger in memory", async () => {
  const database = openSqlite(":memory:");
  const ledger = sqlLedger(database);
  return {
    ledger,
    elsewhere: sqlLedger(database),
    async close() {
      // Whatever the test has done, the rows do not contradict each other.
      const faults = await database.read(checkLedger);
      await ledger.close();
      expect(faults).toEqual([]);
    },
  };
});

const it = base.extend<{ file: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
  file: async ({}, use) => {
    const directory = mkdtempSync(join(tmpdir(), "nuncio-ledger-"));
    await use(join(directory, "nuncio.db"));
    rmSync(directory, { recursive: true });
  },
});

/** A ledger whose driver the test keeps in hand, to count what it does and to take the disk away. */
function open(file: string) {
  const driver = openDriver(file);
  const database = databaseOn(driver);
  let commits = 0;
  database.onCommit(() => {
    commits += 1;
  });
  const pragma = (text: string) => Object.values(driver.prepare(`PRAGMA ${text}`).all([])[0] ?? {})[0];
  return { world: new World(sqlLedger(database)), driver, pragma, commits: () => commits };
}

const tasksOf = async ({ ledger }: World) => (await ledger.system.list({ limit: 1000 })).items;

describe("a ledger file", () => {
  it("D7 has everything when it is opened again", async ({ file }) => {
    const { world } = open(file);
    const parent = await world.running();
    await parent.delegate("editor", { parkUntil: world.now + 60_000 });
    await (await world.run("editor")).ask("which one?");
    const before = await tasksOf(world);
    await world.ledger.close();

    const { world: again } = open(file);
    expect(await tasksOf(again)).toEqual(before);
    expect(await again.tenant.events(parent.id, 0)).toHaveLength(4);
    expect(await again.answer(parent.id, "that one")).toMatchObject({ accepted: true });
    await (await again.run("editor")).complete();
    expect((await again.run()).id).toBe(parent.id);
    await again.ledger.close();
  });

  it("is for its owner alone", async ({ file }) => {
    const { ledger } = { ledger: sqlLedger(openSqlite(file)) };
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await ledger.close();
  });

  it("invariant 2 is synced to the disk with every commit where the driver is asked to", async ({ file }) => {
    const { world, pragma } = open(file);
    expect(pragma("synchronous")).toBe(2);
    expect(pragma("journal_mode")).toBe("wal");
    await world.ledger.close();
  });

  it("invariant 2 has what is announced and answered: another connection reads it", async ({ file }) => {
    const { world } = open(file);
    const other = sqlLedger(openSqlite(file));
    const read: Promise<unknown>[] = [];
    world.ledger.onChange(({ taskId }) => read.push(other.forTenant(TENANT).task(taskId)));
    const { task } = await world.submit();
    expect(await Promise.all(read)).toEqual([task]);
    await other.close();
    await world.ledger.close();
  });

  it("invariant 2 when a commit fails nobody is told of what was in it", async ({ file }) => {
    const driver = openDriver(file);
    let failing = false;
    const commitOf = ({ all, run }: SqliteStatement): SqliteStatement => ({
      all,
      run(values) {
        if (failing) throw Object.assign(new Error("the disk is gone"), { code: "SQLITE_IOERR_FSYNC" });
        return run(values);
      },
    });
    const faulty: SqliteDriver = {
      prepare: (text) => (text === "COMMIT" ? commitOf(driver.prepare(text)) : driver.prepare(text)),
      exec: (text) => driver.exec(text),
      get inTransaction() {
        return driver.inTransaction;
      },
      close: () => driver.close(),
    };
    const world = new World(sqlLedger(databaseOn(faulty)));
    const { task } = await world.submit();
    const told = world.changes.length;
    failing = true;
    for (const command of [world.submit(), world.submit(), world.cancel(task.id)]) {
      await expect(command).rejects.toMatchObject({ code: "unavailable", retryable: true, reason: "SQLITE_IOERR" });
    }
    failing = false;
    expect(world.changes).toHaveLength(told);
    expect(await tasksOf(world)).toEqual([task]);
    expect(await world.submit()).toMatchObject({ created: true });
    await world.ledger.close();
  });

  it("is refused when a newer program wrote it, and left as it is", async ({ file }) => {
    const { world, driver, pragma } = open(file);
    const version = Number(pragma("user_version"));
    driver.exec(`PRAGMA user_version = ${version + 1}`);
    await world.ledger.close();
    expect(() => openSqlite(file)).toThrow(
      expect.objectContaining({ code: "failed_precondition", reason: "LEDGER_TOO_NEW", retryable: false }),
    );
    const driverAgain = openDriver(file);
    driverAgain.exec(`PRAGMA user_version = ${version}`);
    driverAgain.close();
    await open(file).world.ledger.close();
  });

  it.each([
    ["is no database", Buffer.from("something else altogether ".repeat(400)), /is damaged, or is no SQLite database$/],
    ["is a directory", null, /cannot be used: the ledger cannot be opened/],
  ])("says which file it is that %s", (_what, content, said) => {
    const place = mkdtempSync(join(tmpdir(), "nuncio-ledger-"));
    const file = content === null ? place : join(place, "ledger.db");
    if (content !== null) writeFileSync(file, content);
    expect(() => openSqlite(file)).toThrow(
      expect.objectContaining({ code: "failed_precondition", message: expect.stringMatching(said) }),
    );
    expect(() => openSqlite(file)).toThrow(file);
    rmSync(place, { recursive: true });
  });

  it("can be tried again when it could not be opened", ({ file }) => {
    expect(() => openSqlite(join(file, "not", "here"))).toThrow();
    expect(() => openSqlite(file)).not.toThrow();
  });
});

describe("grouped commits", () => {
  it("a hundred submissions at once share few transactions", async ({ file }) => {
    const { world, commits } = open(file);
    await Promise.all(Array.from({ length: 100 }, () => world.submit()));
    expect(await tasksOf(world)).toHaveLength(100);
    expect(commits()).toBeLessThanOrEqual(3);
    await world.ledger.close();
  });

  it("of many submitted at once exactly as many are taken as the queue has room for", async ({ file }) => {
    const { world } = open(file);
    const bounds = { perPersona: 7, perTenant: 10 };
    const submissions = [];
    for (let count = 0; count < 100; count++) {
      for (const persona of ["writer", "editor"]) submissions.push(world.submit({ persona, bounds }));
    }
    const outcomes = await Promise.allSettled(submissions);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    expect(await tasksOf(world)).toHaveLength(10);
    await world.ledger.close();
  });

  it("a command that is refused takes nothing of its group with it, and leaves nothing behind", async ({ file }) => {
    const { world, commits } = open(file);
    const message = userSays("this");
    await world.submit({ message });
    const before = commits();
    const outcomes = await Promise.allSettled([
      world.submit(),
      world.submit({ message: { ...message, parts: [{ text: "that" }] } }),
      world.cancel(newId()),
      world.submit(),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    expect(commits() - before).toBe(1);
    expect(await tasksOf(world)).toHaveLength(3);
    await world.ledger.close();
  });

  it("one group is bounded, so that its first caller does not wait for a flood", async ({ file }) => {
    const { world, commits } = open(file);
    await Promise.all(Array.from({ length: 1000 }, () => world.submit()));
    expect(commits()).toBeGreaterThanOrEqual(4);
    await world.ledger.close();
  });

  it("what was handed in before closing is written, and nothing is taken after", async ({ file }) => {
    const { world } = open(file);
    const last = world.submit();
    await world.ledger.close();
    const { task } = await last;
    await expect(world.submit()).rejects.toMatchObject({ code: "unavailable", retryable: false });
    await expect(world.tenant.task(task.id)).rejects.toMatchObject({ code: "unavailable" });
    const { world: again } = open(file);
    expect(await again.tenant.task(task.id)).toEqual(task);
    await again.ledger.close();
  });
});

describe("R3 when the disk does not take it", () => {
  const large = () => userSays("x".repeat(200_000));

  it("R3 a full disk refuses retryably, keeps what it acknowledged, and goes on when there is room", async ({
    file,
  }) => {
    const { world, driver, pragma } = open(file);
    const running = await world.running();
    const told = world.changes.length;
    driver.exec(`PRAGMA max_page_count = ${Number(pragma("page_count")) + 120}`);

    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => world.submit({ message: large() })));
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused) {
      expect(reason).toMatchObject({ code: "unavailable", retryable: true, reason: "SQLITE_FULL" });
    }
    const kept = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value.task.id] : []));
    const there = (await tasksOf(world)).map(({ id }) => id).filter((id) => id !== running.id);
    expect(there.sort()).toEqual(kept.sort());
    expect(new Set(world.changes.slice(told).map(({ taskId }) => taskId))).toEqual(new Set(kept));
    expect(await world.state(running.id)).toBe("processing");

    driver.exec("PRAGMA max_page_count = 1000000");
    expect(pragma("integrity_check")).toBe("ok");
    expect(await world.submit({ message: large() })).toMatchObject({ created: true });
    expect(await running.complete()).toMatchObject({ state: "completed" });
    await world.ledger.close();
  });

  it("R3 a file that has become read-only refuses retryably, is still read, and goes on afterwards", async ({
    file,
  }) => {
    const { world, driver } = open(file);
    const { task } = await world.submit();
    driver.exec("PRAGMA query_only = ON");
    const message = userSays("later");
    for (const write of [world.submit({ message }), world.cancel(task.id), world.claim()]) {
      await expect(write).rejects.toMatchObject({ code: "unavailable", retryable: true, reason: "SQLITE_READONLY" });
    }
    expect(await world.state(task.id)).toBe("pending");
    driver.exec("PRAGMA query_only = OFF");
    expect(await world.submit({ message })).toMatchObject({ created: true });
    await world.ledger.close();
  });

  it("R3 a file that another process holds refuses retryably, and goes on afterwards", async ({ file }) => {
    const { world, driver } = open(file);
    driver.exec("PRAGMA busy_timeout = 0");
    const other = openDriver(file);
    other.exec("BEGIN IMMEDIATE");
    await expect(world.submit()).rejects.toMatchObject({ code: "unavailable", retryable: true, reason: "SQLITE_BUSY" });
    other.exec("ROLLBACK");
    other.close();
    expect(await world.submit()).toMatchObject({ created: true });
    await world.ledger.close();
  });
});
