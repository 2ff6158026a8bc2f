import { describe, expect, it } from "vitest";
import { PlannedWorld } from "../../../test/support/planned-world.js";
import { freshSchema } from "../../../test/support/postgres/shared.js";
import { openPostgres } from "../postgres/open-postgres.js";
import type { Database } from "../sql-ledger.js";
import { openSqlite } from "../sqlite/open-sqlite.js";

const places: [string, () => Promise<Database>][] = [
  ["SQLite", async () => openSqlite(":memory:")],
  ["PostgreSQL", async () => openPostgres(await freshSchema())],
];

describe.each(places)("what was planned on %s", (_, open) => {
  const inWorld = async (use: (world: PlannedWorld) => Promise<void>) => {
    const world = new PlannedWorld(await open());
    await use(world);
    await world.ledger.close();
  };

  it("X7 keeps a run of a planned task until that is complete, and then all of it goes, the tasks first", () =>
    inWorld(async (world) => {
      const prepared = await world.prepare("native", { "a.txt": "shared", "b.txt": "own" });
      const other = await world.prepare("native", { "c.txt": "shared" });
      const taskId = await world.run(prepared);
      const lease = await world.claim(taskId, "native");
      const record = { lease, now: world.now, start: false, facts: [], steps: [], inputTokens: 0, outputTokens: 0 };
      await world.ledger.system.settle({ ...record, outcome: { type: "completed" }, artifacts: [] });
      expect(await world.purge(taskId)).toMatchObject({ type: "kept", why: "planned" });
      await world.complete(prepared);
      const purgeOld = () => world.plans.purgeOld({ completedBy: world.now, limit: 5, now: world.now });
      expect(await purgeOld()).toBe(0);
      expect(await world.purge(taskId)).toEqual({ type: "purged", tasks: 1 });
      world.now -= 1;
      expect(await purgeOld()).toBe(0);
      world.now += 1;
      expect(await purgeOld()).toBe(1);

      expect(await world.plans.plan("acme", prepared.planId)).toBeNull();
      expect(await world.plans.assignment(prepared.assignmentId)).toBeNull();
      expect(await world.plans.files("acme", prepared.planId)).toEqual([]);
      // What another snapshot holds as well is still there for it.
      const content = await world.plans.content("acme", other.planId, "c.txt");
      expect(Buffer.from(content ?? []).toString()).toBe("shared");
    }));

  it("X7 purges by the operator's word what is not complete, but not while a run of it goes on; a grant admits nobody", () =>
    inWorld(async (world) => {
      const prepared = await world.prepare();
      const { id } = await world.grant(prepared);
      const revoked: string[] = [];
      world.grants.onRevoked((grantId) => revoked.push(grantId));
      const purge = () => world.plans.purge({ tenant: "acme", planId: prepared.planId, now: world.now });
      const taskId = await world.run(prepared);
      await expect(purge()).rejects.toMatchObject({ reason: "RUN_UNFINISHED" });
      await world.end(taskId);
      await purge();
      await expect(purge()).rejects.toMatchObject({ code: "not_found" });
      expect((await world.grants.find(id))?.revokedAt).toBe(world.now);
      expect(revoked).toEqual([id]);
      // What the run has left is an ordinary task.
      expect(await world.purge(taskId)).toEqual({ type: "purged", tasks: 1 });
    }));

  it("P13 X7 keeps a task on which a peer may still be at work, and purges its receipts with it", () =>
    inWorld(async (world) => {
      const prepared = await world.prepare("peer");
      const taskId = await world.run(prepared, "peer");
      await world.intend(await world.claim(taskId));
      await world.end(taskId);
      await world.plans.purge({ tenant: "acme", planId: prepared.planId, now: world.now });
      expect(await world.purge(taskId)).toMatchObject({ type: "kept", why: "uncertain" });
      const fact = { type: "slot_released", why: "gone" } as const;
      await world.peers.note({ tenant: "acme", taskId, fact, now: world.now });
      expect(await world.purge(taskId)).toEqual({ type: "purged", tasks: 1 });
      expect(await world.peers.dispatch("acme", taskId)).toBeNull();
      expect(await world.peers.receipts("acme", taskId)).toEqual([]);
    }));
});
