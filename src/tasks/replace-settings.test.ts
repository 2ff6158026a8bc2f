import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sqlLedger } from "../store/sql-ledger.js";
import { openSqlite } from "../store/sqlite/open-sqlite.js";
import { LEASE_MS, TENANT, World } from "./ledger-contract/world.contract.js";
import type { RunOutcome } from "./runner.js";
import { Worker, type WorkerSettings } from "./worker.js";

const WRITER = { tenant: TENANT, name: "writer", maxConcurrent: 2 };

/** Runs that end when the test says so; `said` is what each of them ends with. */
const settings = (said: string, runs: Promise<unknown>, changes: Partial<WorkerSettings> = {}): WorkerSettings => ({
  personas: [WRITER],
  runnerFor: () => ({
    run: async (): Promise<RunOutcome> => {
      await runs;
      return { type: "completed", message: { messageId: said, role: "agent", parts: [{ text: said }] } };
    },
  }),
  tools: () => {
    throw new Error("no tool is to be called");
  },
  concurrency: 2,
  leaseMs: LEASE_MS,
  backoffBaseMs: 1,
  backoffMaxMs: 1,
  ...changes,
});

describe("a worker whose settings change", () => {
  const ledger = () => sqlLedger(openSqlite(":memory:"));
  let world: World;
  let worker: Worker;
  let betweenClaimAndAnswer: () => void;
  let finishFirst: () => void;
  let firstRuns: Promise<void>;
  beforeEach(() => {
    betweenClaimAndAnswer = () => {};
    firstRuns = new Promise((resolve) => {
      finishFirst = resolve;
    });
    world = new World(ledger());
    const { system } = world.ledger;
    const claim: typeof system.claim = async (command) => {
      const claimed = await system.claim(command);
      betweenClaimAndAnswer();
      return claimed;
    };
    worker = new Worker({
      ledger: { ...world.ledger, system: { ...system, claim } },
      owner: "worker",
      clock: { now: () => world.now },
      ...settings("as it began", firstRuns),
      alone: true,
      onError: (error) => {
        throw error;
      },
    });
  });
  afterEach(async () => {
    finishFirst();
    await worker.drain(1000);
    await world.ledger.close();
  });

  const textOf = async (taskId: string) => (await world.tenant.snapshot(taskId))?.statusMessage?.parts[0];

  it("ends an attempt on what it began with, and begins the next on what holds now", async () => {
    const { task: before } = await world.submit();
    await worker.tick();
    worker.replaceSettings(settings("as it is now", Promise.resolve()));
    const { task: after } = await world.submit();
    await worker.tick();
    await worker.whenStopped([after.id], 60_000);
    finishFirst();
    await worker.whenStopped([before.id], 60_000);
    expect([await textOf(before.id), await textOf(after.id)]).toEqual([
      { text: "as it began" },
      { text: "as it is now" },
    ]);
  });

  it("leaves in the ledger what it claims while the persona goes, and takes it up when the persona is back", async () => {
    const { task } = await world.submit();
    betweenClaimAndAnswer = () => worker.replaceSettings(settings("", Promise.resolve(), { personas: [] }));
    await worker.tick();
    await worker.whenStopped([task.id], 60_000);
    expect(await world.tenant.task(task.id)).toMatchObject({ state: "pending" });
    expect(await worker.tick()).toMatchObject({ claimed: 0 });
    expect(worker.slots.used).toBe(0);

    betweenClaimAndAnswer = () => {};
    worker.replaceSettings(settings("back", Promise.resolve()));
    expect(await worker.tick()).toMatchObject({ claimed: 1 });
    await worker.whenStopped([task.id], 60_000);
    expect(await textOf(task.id)).toEqual({ text: "back" });
    expect(await world.tenant.task(task.id)).toMatchObject({ state: "completed", attempt: 1 });
  });

  it("takes and reserves nothing more for a persona that is gone, and lets its runs end", async () => {
    const { task } = await world.submit();
    await worker.tick();
    worker.replaceSettings(settings("", Promise.resolve(), { personas: [] }));
    expect(worker.reserve(TENANT, "writer")).toBeNull();
    const { task: later } = await world.submit();
    expect(await worker.tick()).toMatchObject({ claimed: 0 });
    finishFirst();
    await worker.whenStopped([task.id], 60_000);
    expect(await world.tenant.task(task.id)).toMatchObject({ state: "completed" });
    expect(await world.tenant.task(later.id)).toMatchObject({ state: "pending" });
  });

  it("has as many slots as it is told", async () => {
    for (const _ of [1, 2, 3]) await world.submit();
    expect(await worker.tick()).toMatchObject({ claimed: 2 });
    worker.replaceSettings(settings("", firstRuns, { concurrency: 3, personas: [{ ...WRITER, maxConcurrent: 3 }] }));
    expect(await worker.tick()).toMatchObject({ claimed: 1 });
    expect(worker.slots).toEqual({ used: 3, total: 3 });
  });
});
