import { afterEach, expect, it, vi } from "vitest";
import { systemClock } from "../shared/clock.js";
import { sqlLedger } from "../store/sql-ledger.js";
import { openSqlite } from "../store/sqlite/open-sqlite.js";
import type { SystemLedger, TaskLedger } from "./ledger.js";
import { World } from "./ledger-contract/world.contract.js";
import { Worker } from "./worker.js";

afterEach(() => {
  vi.useRealTimers();
});

/** The same ledger, with what happens between two of its commands in the hands of the test. */
const withSystem = (ledger: TaskLedger, over: Partial<SystemLedger>): TaskLedger => ({
  ...ledger,
  system: { ...ledger.system, ...over },
});

it("D3 sees a deadline that comes up while it looks for work, without waiting for the next poll", async () => {
  // The timer that the loop sleeps by never fires: only news can wake it.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const ledger = sqlLedger(openSqlite(":memory:"));
  const world = new World(ledger);
  const parent = await world.running();
  let rounds = 0;
  let again: () => void = () => {};
  const lookedAgain = new Promise<void>((resolve) => {
    again = resolve;
  });
  const worker = new Worker({
    ledger: withSystem(ledger, {
      recover: async () => ({ requeued: 0, failed: 0 }),
      async wakeDue(command) {
        const due = await ledger.system.wakeDue(command);
        rounds += 1;
        // Behind the look at the deadlines, before the loop goes to sleep.
        if (rounds === 1) await parent.delegate("editor", { parkUntil: world.now + 200 });
        else again();
        return due;
      },
    }),
    owner: "worker",
    clock: systemClock,
    personas: [],
    runnerFor: () => {
      throw new Error("nothing is to be run");
    },
    tools: () => {
      throw new Error("nothing is to be run");
    },
    concurrency: 1,
    leaseMs: 30_000,
    backoffBaseMs: 1,
    backoffMaxMs: 1,
    alone: true,
    onError: (error) => {
      throw error;
    },
  });
  worker.start();
  await lookedAgain;
  expect(rounds).toBe(2);
  await worker.drain(0);
  await ledger.close();
});
