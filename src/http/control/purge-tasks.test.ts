import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sqlLedger } from "../../store/sql-ledger.js";
import { openSqlite } from "../../store/sqlite/open-sqlite.js";
import type { TaskLedger } from "../../tasks/ledger.js";
import { World } from "../../tasks/ledger-contract/world.contract.js";
import { purgeOlder } from "./purge-tasks.js";

let ledger: TaskLedger;
let world: World;

beforeEach(() => {
  ledger = sqlLedger(openSqlite(":memory:"));
  world = new World(ledger);
});
afterEach(() => ledger.close());

async function ended(tenant?: string): Promise<void> {
  const { claim } = await world.submit({ offer: world.offer() }, tenant);
  const attempt = world.attempt(claim);
  await attempt.start();
  await attempt.complete();
}

const older = (age: number, tenant?: string) => purgeOlder(ledger, { tenant, endedBy: world.now - age }, world.now);

describe("purging by age", () => {
  it("X7 takes what ended long enough ago, of one tenant or all", async () => {
    for (const tenant of ["acme", "default", "zeta"]) await ended(tenant);
    world.later(1000);
    await ended();
    expect(await older(1001)).toEqual({ purged: 0, kept: 0, nextCursor: null });
    expect(await older(1000, "default")).toEqual({ purged: 1, kept: 0, nextCursor: null });
    expect(await older(1000)).toEqual({ purged: 2, kept: 0, nextCursor: null });
    expect(await older(0, "nobody")).toEqual({ purged: 0, kept: 0, nextCursor: null });
    expect(await older(0)).toEqual({ purged: 1, kept: 0, nextCursor: null });
  });

  it("X7 goes through more than one page, and keeps dead letters and what works", async () => {
    for (let count = 0; count < 250; count++) await ended();
    const dead = await world.running({ maxAttempts: 1 });
    await dead.fail("broken");
    const working = await world.running();
    const parent = await world.running();
    await parent.delegate("editor");
    await parent.complete();
    expect(await older(0)).toEqual({ purged: 250, kept: 2, nextCursor: null });
    expect(await world.state(working.id)).toBe("processing");
  });
});
