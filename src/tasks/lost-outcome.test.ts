import { expect, it } from "vitest";
import { NuncioError } from "../shared/errors.js";
import { sqlLedger } from "../store/sql-ledger.js";
import { openSqlite } from "../store/sqlite/open-sqlite.js";
import { OUTCOME_UNKNOWN, type SystemLedger } from "./ledger.js";
import { LEASE_MS, TENANT, World } from "./ledger-contract/world.contract.js";
import { Worker } from "./worker.js";

/** A worker that is stepped by hand, on a ledger some of whose commands fail, in the time of the test. */
function house(over: (system: SystemLedger) => Partial<SystemLedger>) {
  const ledger = sqlLedger(openSqlite(":memory:"));
  const world = new World(ledger);
  const errors: unknown[] = [];
  const worker = new Worker({
    ledger: { ...ledger, system: { ...ledger.system, ...over(ledger.system) } },
    owner: "worker",
    clock: { now: () => world.now },
    personas: [{ tenant: TENANT, name: "writer", maxConcurrent: 2 }],
    runnerFor: () => ({ run: async () => ({ type: "completed" }) }),
    tools: () => {
      throw new Error("no tool is to be called");
    },
    concurrency: 2,
    leaseMs: LEASE_MS,
    backoffBaseMs: 1,
    backoffMaxMs: 1,
    alone: true,
    onError: (error) => errors.push(error),
  });
  return { world, worker, errors };
}

it("D9 an attempt that can record neither its outcome nor its failure is taken back when its lease has ended, not at the next start", async () => {
  let broken = true;
  const { world, worker, errors } = house((system) => ({
    settle: (command) => (broken ? Promise.reject(new Error("nothing can be stored")) : system.settle(command)),
  }));
  const { task } = await world.submit();
  expect(await worker.tick()).toMatchObject({ claimed: 1 });
  await worker.whenStopped([task.id], 60_000);
  expect(errors).toEqual([expect.objectContaining({ message: "nothing can be stored" })]);
  broken = false;

  world.later(LEASE_MS);
  expect(await worker.tick()).toMatchObject({ requeued: 0, claimed: 0 });
  world.later(2);
  expect(await worker.tick()).toMatchObject({ requeued: 1, claimed: 1 });
  await worker.whenStopped([task.id], 60_000);
  expect(await world.tenant.task(task.id)).toMatchObject({ state: "completed", attempt: 2 });
  expect(worker.slots.used).toBe(0);
  await worker.drain(0);
  await world.ledger.close();
});

it("R3 an attempt of which it is not known what was recorded is given up, which is said, and taken back like one that is lost", async () => {
  const lost = new NuncioError("unavailable", "lost in the middle of a commit", { reason: OUTCOME_UNKNOWN });
  let uncertain = true;
  const { world, worker, errors } = house((system) => ({
    settle: (command) => (uncertain ? Promise.reject(lost) : system.settle(command)),
  }));
  const { task } = await world.submit();
  await worker.tick();
  await worker.whenStopped([task.id], 60_000);
  expect(errors).toEqual([lost]);
  uncertain = false;

  world.later(LEASE_MS);
  await worker.tick();
  world.later(2);
  expect(await worker.tick()).toMatchObject({ requeued: 1, claimed: 1 });
  await worker.whenStopped([task.id], 60_000);
  expect(await world.tenant.task(task.id)).toMatchObject({ state: "completed", attempt: 2 });
  await worker.drain(0);
  await world.ledger.close();
});
