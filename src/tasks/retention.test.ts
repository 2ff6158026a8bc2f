import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NuncioError } from "../shared/errors.js";
import { sqlLedger } from "../store/sql-ledger.js";
import { openSqlite } from "../store/sqlite/open-sqlite.js";
import type { TaskLedger } from "./ledger.js";
import { type Attempt, piece, step } from "./ledger-contract/attempt.contract.js";
import { userSays } from "./ledger-contract/messages.contract.js";
import { TENANT, World } from "./ledger-contract/world.contract.js";
import type { Message } from "./message.js";
import { Retention, type RetentionOptions } from "./retention.js";

const DAY = 86_400_000;
const days = { finishedDays: 30, eventsDays: 7, journalDays: 14, idempotencyDays: 10 };

let ledger: TaskLedger;
let world: World;
let errors: unknown[];

beforeEach(() => {
  ledger = sqlLedger(openSqlite(":memory:"));
  world = new World(ledger);
  errors = [];
});

afterEach(async () => {
  expect(errors).toEqual([]);
  await ledger.close();
});

const retention = (over: Partial<RetentionOptions> = {}) =>
  new Retention({
    ledger,
    clock: { now: () => world.now },
    plans: { purgeOld: async () => 0 },
    days,
    onSwept: () => {},
    onError: (error) => errors.push(error),
    pace: 0,
    ...over,
  });

const NOTHING = { purged: 0, compacted: 0, journals: 0, messages: 0, plans: 0 };

async function ended(message: Message = userSays("write")): Promise<Attempt> {
  const attempt = await world.running({ message });
  await attempt.append([piece("one "), piece("two")], [step(1, "call", world.now)]);
  await attempt.complete();
  return attempt;
}

const types = async (id: string) => (await world.tenant.events(id, 0)).map(({ type }) => type);

describe("a sweep", () => {
  it("X7 takes each thing when it has its age, and nothing before", async () => {
    const message = userSays("once");
    const { id } = await ended(message);
    const sweeper = retention();
    const sweepAfter = (age: number) => {
      world.now = Date.UTC(2030, 0, 1) + age;
      return sweeper.sweep();
    };
    expect(await sweepAfter(7 * DAY - 1)).toEqual(NOTHING);
    expect(await sweepAfter(7 * DAY)).toEqual({ ...NOTHING, compacted: 1 });
    expect(await types(id)).toEqual(["message", "status", "status"]);
    expect(await sweepAfter(14 * DAY - 1)).toEqual(NOTHING);
    expect(await sweepAfter(14 * DAY)).toEqual({ ...NOTHING, journals: 1 });
    expect(await sweepAfter(30 * DAY - 1)).toEqual(NOTHING);
    expect(await world.snapshot(id)).toMatchObject({ artifacts: [{ parts: [{ text: "one two" }] }] });
    expect(await sweepAfter(30 * DAY)).toEqual({ ...NOTHING, purged: 1 });
    expect(await world.tenant.task(id)).toBeNull();

    expect(await sweepAfter(40 * DAY - 1)).toEqual(NOTHING);
    await expect(world.submit({ message })).rejects.toMatchObject({ reason: "TASK_PURGED" });
    // Messages are looked through once a day.
    expect(await sweepAfter(41 * DAY)).toEqual({ ...NOTHING, messages: 1 });
    expect(await world.submit({ message })).toMatchObject({ created: true });
  });

  it("X7 leaves alone what lives, however old, with the tree that it is in, and dead letters", async () => {
    const root = await ended();
    const parent = await world.running();
    await parent.delegate("editor");
    await parent.complete();
    const asking = await world.run("editor");
    await asking.ask("which?");
    const dead = await world.running({ maxAttempts: 1 });
    await dead.fail("broken");
    world.later(365 * DAY);
    expect(await retention().sweep()).toMatchObject({ purged: 1 });
    expect(await world.tenant.task(root.id)).toBeNull();
    for (const { id } of [parent, asking, dead]) expect(await world.tenant.task(id)).not.toBeNull();
    expect((await ledger.system.deadLetters({ limit: 10 })).items).toHaveLength(1);
  });

  it("X7 goes through more than one look takes, in every tenant", async () => {
    for (let count = 0; count < 300; count++) {
      for (const tenant of [TENANT, "acme", "zeta"]) {
        const { claim } = await world.submit({ offer: world.offer() }, tenant);
        const attempt = world.attempt(claim);
        await attempt.append([piece("one")], [step(1, "call", world.now)]);
        await attempt.complete();
      }
    }
    world.later(15 * DAY);
    expect(await retention().sweep()).toEqual({ ...NOTHING, compacted: 900, journals: 900 });
    world.later(15 * DAY);
    expect(await retention().sweep()).toEqual({ ...NOTHING, purged: 900 });
    world.later(10 * DAY);
    expect(await retention().sweep()).toEqual({ ...NOTHING, messages: 900 });
  });

  it("X7 compacts a task with very many events to the end", async () => {
    const attempt = await world.running();
    for (let count = 0; count < 5; count++) await attempt.append(Array.from({ length: 500 }, () => piece("x")));
    await attempt.complete();
    world.later(7 * DAY);
    expect(await retention().sweep()).toMatchObject({ compacted: 1 });
    expect(await types(attempt.id)).toEqual(["message", "status", "status"]);
  });

  it("several at once take each thing once", async () => {
    for (let count = 0; count < 20; count++) await ended();
    world.later(30 * DAY);
    const swept = await Promise.all([retention().sweep(), retention().sweep()]);
    expect(swept.reduce((sum, { purged }) => sum + purged, 0)).toBe(20);
  });

  it("is kept by nothing that cannot be removed from going on, and reports it", async () => {
    const [one, two] = [await ended(), await ended()];
    const { purgeTree } = ledger.system.retention;
    ledger.system.retention.purgeTree = async (command) => {
      if (command.rootId === one.id) throw new NuncioError("failed_precondition", "written by a newer version");
      return purgeTree(command);
    };
    world.later(30 * DAY);
    expect(await retention().sweep()).toMatchObject({ purged: 1 });
    expect(await world.tenant.task(two.id)).toBeNull();
    expect(errors.splice(0)).toMatchObject([{ message: "written by a newer version" }]);
  });

  it("leaves off when the ledger cannot be reached, and when it is stopped", async () => {
    for (let count = 0; count < 20; count++) await ended();
    world.later(30 * DAY);
    const { purgeTree } = ledger.system.retention;
    ledger.system.retention.purgeTree = async () => {
      throw new NuncioError("unavailable", "the disk is full");
    };
    await expect(retention().sweep()).rejects.toMatchObject({ code: "unavailable" });
    const sweeper = retention();
    ledger.system.retention.purgeTree = async (command) => {
      void sweeper.stop();
      return purgeTree(command);
    };
    const { purged } = await sweeper.sweep();
    expect(purged).toBeGreaterThan(0);
    expect(purged).toBeLessThan(20);
  });
});
