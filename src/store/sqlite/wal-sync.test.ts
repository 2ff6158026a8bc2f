import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test as base, describe, expect, vi } from "vitest";
import { newId } from "../../shared/ids.js";
import { userSays } from "../../tasks/ledger-contract/messages.contract.js";
import { World } from "../../tasks/ledger-contract/world.contract.js";
import { sqlLedger } from "../sql-ledger.js";
import { openDriver } from "./open-driver.js";
import { databaseOn, openSqlite } from "./open-sqlite.js";

/** What has been synced, by the path behind each file descriptor. */
const synced = vi.hoisted(() => [] as string[]);

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const fdatasync: typeof fs.fdatasync = Object.assign(
    (fd: number, done: (error: NodeJS.ErrnoException | null) => void) => {
      synced.push(fs.existsSync("/proc/self/fd") ? fs.readlinkSync(`/proc/self/fd/${fd}`) : "");
      fs.fdatasync(fd, done);
    },
    { __promisify__: fs.fdatasync.__promisify__ },
  );
  return { ...fs, default: fs, fdatasync };
});

const it = base.extend<{ file: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
  file: async ({}, use) => {
    const directory = mkdtempSync(join(tmpdir(), "nuncio-sync-"));
    await use(join(directory, "ledger.db"));
    rmSync(directory, { recursive: true });
  },
});

const NO_ANSWER = { message: userSays("nobody asked"), principal: "user:ann", bodyHash: "" };

/** A ledger on a disk that answers when the test says so. */
function onSlowDisk(file: string) {
  const waiting: ((error: Error | null) => void)[] = [];
  const log = () => ({ sync: (done: (error: Error | null) => void) => void waiting.push(done), close: () => {} });
  const world = new World(sqlLedger(databaseOn(openDriver(file), { log })));
  /** Resolves when the disk has been asked. */
  const asked = () => vi.waitFor(() => expect(waiting).toHaveLength(1));
  return { world, asked, answer: (error: Error | null = null) => waiting.shift()?.(error) };
}

describe("a commit and the disk", () => {
  it("invariant 2 the log is synced where SQLite has it, also when the ledger is a link to a file elsewhere", async ({
    file,
  }) => {
    const real = join(dirname(file), "elsewhere.db");
    await openSqlite(real).close();
    symlinkSync(real, file);
    // What is left of a log that nobody writes to is not to be taken for it.
    writeFileSync(`${file}-wal`, "");
    const world = new World(sqlLedger(openSqlite(file)));
    synced.length = 0;
    await world.submit();
    expect(synced).toHaveLength(1);
    if (process.platform === "linux") expect(synced[0]).toBe(`${real}-wal`);
    await world.ledger.close();
  });

  it("invariant 2 the write-ahead log is synced after each commit of a ledger file, and only after one", async ({
    file,
  }) => {
    const world = new World(sqlLedger(openSqlite(file)));
    synced.length = 0;
    const { task } = await world.submit();
    expect(synced).toHaveLength(1);
    if (process.platform === "linux") expect(synced[0]).toBe(`${file}-wal`);
    await world.tenant.task(task.id);
    await expect(world.tenant.answer({ ...NO_ANSWER, taskId: newId(), now: world.now })).rejects.toThrow();
    expect(synced).toHaveLength(1);
    await world.cancel(task.id);
    expect(synced).toHaveLength(2);
    await world.ledger.close();
  });

  it("invariant 2 nothing is told, answered or read of what the disk has not taken yet", async ({ file }) => {
    const { world, asked, answer } = onSlowDisk(file);
    const seen: string[] = [];
    const submitted = world.submit().then(({ task }) => {
      seen.push("answered");
      return task;
    });
    await asked();
    const listed = world.ledger.system.list({ limit: 10 }).then(({ items }) => {
      seen.push("read");
      return items;
    });
    const next = world.submit().then(() => seen.push("next"));
    await new Promise(setImmediate);
    expect(seen).toEqual([]);
    expect(world.changes).toEqual([]);

    answer();
    const task = await submitted;
    expect(world.changes).toHaveLength(1);
    expect(seen).toEqual(["answered"]);
    await asked();
    answer();
    expect(await listed).toEqual([task]);
    await next;
    await world.ledger.close();
  });

  it("R3 what a disk has refused is neither acknowledged nor denied, and nothing is taken until the next start", async ({
    file,
  }) => {
    const { world, asked, answer } = onSlowDisk(file);
    const lost = world.submit();
    const refused = expect(lost).rejects.toMatchObject({ code: "unavailable", reason: "OUTCOME_UNKNOWN" });
    await asked();
    const behind = expect(world.submit()).rejects.toMatchObject({ code: "unavailable", retryable: true });
    answer(Object.assign(new Error("i/o error"), { code: "EIO" }));
    await Promise.all([refused, behind]);
    expect(world.changes).toEqual([]);
    await expect(world.submit()).rejects.toMatchObject({ reason: "SQLITE_IOERR_FSYNC", retryable: true });
    await world.ledger.close();

    const again = new World(sqlLedger(openSqlite(file)));
    expect(await again.submit()).toMatchObject({ created: true });
    await again.ledger.close();
  });

  it("what was handed in before closing is on the disk when it is closed", async ({ file }) => {
    const { world, asked, answer } = onSlowDisk(file);
    const first = world.submit();
    await asked();
    const second = world.submit();
    const closed = world.ledger.close();
    answer();
    await asked();
    answer();
    await Promise.all([first, second, closed]);
    await expect(world.submit()).rejects.toMatchObject({ code: "unavailable", retryable: false });
  });
});
