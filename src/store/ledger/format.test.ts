import { test as base, expect } from "vitest";
import { piece, step } from "../../tasks/ledger-contract/attempt.contract.js";
import { World } from "../../tasks/ledger-contract/world.contract.js";
import { sqlLedger } from "../sql-ledger.js";
import { openDriver } from "../sqlite/open-driver.js";
import { databaseOn } from "../sqlite/open-sqlite.js";

interface Ledger {
  world: World;
  /** Makes a task's last event, or its journal, into something that a newer version wrote; and back. */
  setFormat(table: "events" | "journal", taskId: string, format: number): void;
}

const it = base.extend<{ ledger: Ledger }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
  ledger: async ({}, use) => {
    const driver = openDriver(":memory:");
    const world = new World(sqlLedger(databaseOn(driver)));
    await use({
      world,
      setFormat: (table, taskId, format) =>
        expect(
          driver.prepare(`UPDATE ${table} SET format = ? WHERE task_id = ?`).run([format, taskId]),
        ).toBeGreaterThan(0),
    });
    await world.ledger.close();
  },
});

const tooNew = (what: string, taskId: string) =>
  expect.objectContaining({
    code: "unavailable",
    reason: "FORMAT_TOO_NEW",
    message: `${what} of task ${taskId} has format 2, and only 1 is known here`,
    hint: expect.stringContaining("newer version"),
  });

it("X11 a task with an event of a newer format is refused to readers, and says where", async ({ ledger }) => {
  const { world, setFormat } = ledger;
  const ended = await world.running();
  await ended.append([piece("hello", false)]);
  await ended.complete();
  const { task: other } = await world.submit();
  setFormat("events", ended.id, 2);

  await expect(world.tenant.snapshot(ended.id)).rejects.toEqual(tooNew("event 1", ended.id));
  await expect(world.tenant.snapshot(ended.id, 2)).rejects.toEqual(tooNew("event 1", ended.id));
  await expect(world.tenant.events(ended.id, 2)).rejects.toEqual(tooNew("event 3", ended.id));
  expect(await world.snapshot(other.id)).toMatchObject({ state: "pending" });
  expect((await world.ledger.system.list({ limit: 10 })).items).toHaveLength(2);
});

it("X11 a worker leaves it in the queue without counting an attempt, and claims what else there is", async ({
  ledger,
}) => {
  const { world, setFormat } = ledger;
  const { task: newer } = await world.submit();
  const { task: other } = await world.submit();
  setFormat("events", newer.id, 2);

  const asked = { ...world.offer(), now: world.now, limit: 10, latestRunAt: world.now + 1000 };
  const personas = [{ tenant: "default", name: "writer", free: 10 }];
  const claimed = await world.ledger.system.claim({ ...asked, personas });
  expect(claimed.claims.map(({ lease }) => lease.taskId)).toEqual([other.id]);
  expect(claimed.unreadable).toEqual([{ tenant: "default", taskId: newer.id, error: tooNew("event 1", newer.id) }]);
  expect(claimed.due).toEqual([{ tenant: "default", name: "writer", at: world.now + 1000 }]);
  expect(await world.ledger.system.claim({ ...asked, personas })).toMatchObject({ claims: [], unreadable: [] });

  setFormat("events", newer.id, 1);
  world.later(1000);
  const run = await world.run();
  expect(run.id).toBe(newer.id);
  expect(run.claim.snapshot.attempt).toBe(1);
  await run.complete();
});

it("X11 so it is when its journal is of a newer format", async ({ ledger }) => {
  const { world, setFormat } = ledger;
  const first = await world.running();
  await first.append([], [step(1, "search", world.now)]);
  await first.fail("once more");
  setFormat("journal", first.id, 2);

  const asked = { ...world.offer(), now: world.now, limit: 10, latestRunAt: world.now };
  const { claims, unreadable } = await world.ledger.system.claim({
    ...asked,
    personas: [{ tenant: "default", name: "writer", free: 10 }],
  });
  expect(claims).toEqual([]);
  expect(unreadable).toEqual([{ tenant: "default", taskId: first.id, error: tooNew("step 1", first.id) }]);

  setFormat("journal", first.id, 1);
  expect((await world.run()).claim).toMatchObject({ snapshot: { attempt: 2 }, journal: [{ key: "search" }] });
});

it("X11 a child ends although its parent cannot be claimed", async ({ ledger }) => {
  const { world, setFormat } = ledger;
  const parent = await world.running();
  await parent.delegate("editor", { parkUntil: world.now + 60_000 });
  const child = await world.run("editor");
  setFormat("events", parent.id, 2);

  const settled = await child.complete(world.offer());
  expect(settled).toMatchObject({ state: "completed" });
  expect(settled.claim).toBeUndefined();
  expect(await world.tenant.task(parent.id)).toMatchObject({ state: "pending" });
  setFormat("events", parent.id, 1);
  const again = await world.run();
  expect([again.id, again.claim.snapshot.attempt]).toEqual([parent.id, 1]);
});

it("X11 recovery leaves it as it is when it would have to end it, and takes back the others", async ({ ledger }) => {
  const { world, setFormat } = ledger;
  const newer = await world.running({ maxAttempts: 1 });
  const other = await world.running();
  setFormat("events", newer.id, 2);
  expect(await world.recover({ alone: true })).toEqual({ requeued: 1, failed: 0 });
  expect(await world.tenant.task(newer.id)).toMatchObject({ state: "processing" });
  expect(await world.state(other.id)).toBe("pending");

  setFormat("events", newer.id, 1);
  expect(await world.recover({ alone: true })).toEqual({ requeued: 0, failed: 1 });
  expect(await world.state(newer.id)).toBe("failed");
});

it("X11 a question in words of a newer format is relayed without them", async ({ ledger }) => {
  const { world, setFormat } = ledger;
  const parent = await world.running();
  const { task: asking } = await parent.delegate("editor");
  await (await world.run("editor")).ask("which one?");
  setFormat("events", asking.id, 2);
  await parent.await([asking.id]);
  expect(await world.state(parent.id)).toBe("waiting(input)");
  expect(await world.snapshot(parent.id)).toMatchObject({ askingChildId: asking.id, statusMessage: null });
});
