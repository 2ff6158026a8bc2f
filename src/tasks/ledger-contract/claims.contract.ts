import { describe, expect } from "vitest";
import { agentSays } from "./messages.contract.js";
import { LEASE_MS, type LedgerTest, LONGEST_BACKOFF_MS, TENANT } from "./world.contract.js";

export const claims = (it: LedgerTest) =>
  describe("claims", () => {
    it("takes the oldest first, and never more than there are slots for", async ({ world }) => {
      const ids: string[] = [];
      for (let count = 0; count < 5; count++) ids.push((await world.submit()).task.id);
      expect((await world.claim({ free: 2 })).map(({ id }) => id)).toEqual(ids.slice(0, 2));
      expect((await world.claim({ limit: 1 })).map(({ id }) => id)).toEqual(ids.slice(2, 3));
      expect((await world.claim({ free: 0 })).map(({ id }) => id)).toEqual([]);
      expect((await world.claim()).map(({ id }) => id)).toEqual(ids.slice(3));
    });

    it("goes by the time at which a task may run, then by its age", async ({ world }) => {
      const failed = await world.running();
      await failed.fail("again", { retryAt: world.now + 50 });
      world.later(100);
      const newer = await world.submit();
      expect((await world.claim()).map(({ id }) => id)).toEqual([failed.id, newer.task.id]);
    });

    it("takes for each persona what it has slots for, and only for those that were asked about", async ({ world }) => {
      const writing = await world.submit();
      await world.submit({ persona: "editor" });
      await world.submit({}, "acme");
      expect((await world.claim()).map(({ id }) => id)).toEqual([writing.task.id]);
      expect(await world.claim({ personas: ["editor"], tenant: "acme" })).toEqual([]);
    });

    it("says for whom a task remains, and when the next one is due", async ({ world }) => {
      await world.submit();
      await world.submit();
      await (await world.running({ persona: "editor" })).fail("later", { retryAt: world.now + 700 });
      const personas = ["writer", "editor", "critic"].map((name) => ({ tenant: TENANT, name, free: 1 }));
      const claimed = await world.ledger.system.claim({ ...world.offer(), ...world.times(), limit: 100, personas });
      expect(claimed.claims).toHaveLength(1);
      expect(claimed.more).toEqual([{ tenant: TENANT, name: "writer" }]);
      expect(claimed.due).toEqual([{ tenant: TENANT, name: "editor", at: world.now + 700 }]);
    });

    it("X14 what is to run later than any backoff reaches runs at once: the clock has been set back since", async ({
      world,
    }) => {
      const { task } = await world.submit();
      world.later(-LONGEST_BACKOFF_MS - 1);
      expect((await world.claim()).map(({ id }) => id)).toEqual([]);
      expect((await world.claim()).map(({ id }) => id)).toEqual([task.id]);
    });

    it("invariant 1 takes what is pending, and nothing that is in any other state", async ({ world }) => {
      await world.submit({ persona: "poet", offer: world.offer() });
      const running = () => world.running({ persona: "poet" });
      await running();
      await (await running()).ask("which?");
      await (await running()).ask("who are you?", "auth");
      await (await running()).delegate("editor", { parkUntil: world.now + 60_000 });
      await (await running()).complete();
      await (await running()).fail("no", { retryable: false });
      await (await running()).settle({ type: "rejected", message: agentSays("no") });
      await world.cancel((await running()).id);
      const { task: pending } = await world.submit({ persona: "poet" });
      expect((await world.claim({ personas: ["poet"] })).map(({ id }) => id)).toEqual([pending.id]);
      expect(await world.claim({ personas: ["poet"] })).toEqual([]);
    });

    it("never gives one task to two workers, however many ask at once", async ({ world }) => {
      for (let count = 0; count < 30; count++) await world.submit();
      const workers = Array.from({ length: 8 }, (_, number) => world.claim({ worker: `worker-${number}`, free: 7 }));
      const ids = (await Promise.all(workers)).flat().map(({ id }) => id);
      expect(ids).toHaveLength(30);
      expect(new Set(ids).size).toBe(30);
    });

    it("hands over all that a run needs", async ({ world }) => {
      const { task } = await world.submit({ maxAttempts: 7 });
      const [attempt] = await world.claim({ worker: "worker-9" });
      expect(attempt?.claim).toEqual({
        lease: { tenant: TENANT, taskId: task.id, owner: "worker-9", fence: expect.any(Number) },
        snapshot: await world.snapshot(task.id),
        journal: [],
        maxAttempts: 7,
      });
      expect(attempt?.claim.snapshot).toMatchObject({ state: "claimed", attempt: 1, seq: 1, started: false });
    });

    it("is no event: nobody outside is told before the attempt runs", async ({ world }) => {
      const { task } = await world.submit();
      await world.claim();
      expect(await world.tenant.events(task.id, 1)).toEqual([]);
    });

    it("invariant 4 raises the fence, so that a new lease of the same worker is another lease", async ({ world }) => {
      const first = await world.running();
      await first.fail("again");
      const second = await world.run();
      expect(second.lease.owner).toBe(first.lease.owner);
      expect(second.lease.fence).toBeGreaterThan(first.lease.fence);
    });

    it("invariant 4 a heartbeat extends leases, and names those that are lost", async ({ world }) => {
      const kept = await world.running();
      const lost = await world.running();
      const ended = await world.running();
      await world.cancel(lost.id);
      await ended.complete();
      world.later(LEASE_MS - 1);
      const leases = [kept.lease, lost.lease, ended.lease, { ...kept.lease, fence: kept.lease.fence - 1 }];
      const beat = await world.ledger.system.heartbeat({ leases, leaseMs: LEASE_MS, now: world.now });
      expect(beat.lost).toEqual([lost.id, ended.id, kept.id]);
      world.later(LEASE_MS - 1);
      expect(await world.recover()).toEqual({ requeued: 0, failed: 0 });
      expect(await kept.complete()).toMatchObject({ state: "completed" });
    });
  });
