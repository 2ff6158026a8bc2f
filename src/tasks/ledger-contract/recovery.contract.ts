import { describe, expect } from "vitest";
import { piece } from "./attempt.contract.js";
import { LEASE_MS, type LedgerTest } from "./world.contract.js";

export const recovery = (it: LedgerTest) =>
  describe("recovery", () => {
    it("D9 what was claimed or processing when its worker died runs again", async ({ world }) => {
      const { task, claim } = await world.submit({ offer: world.offer("dead") });
      const claimed = world.attempt(claim);
      const processing = await world.running({}, "dead");
      await processing.append([piece("half")]);
      expect(await world.recover({ worker: "new", alone: true })).toEqual({ requeued: 2, failed: 0 });
      const again = await world.claim({ worker: "new" });
      expect(again.map(({ id }) => id)).toEqual([task.id, processing.id]);
      expect(again.map((attempt) => attempt.claim.snapshot.attempt)).toEqual([2, 2]);
      expect(again[1]?.claim.snapshot).toMatchObject({ started: true, artifacts: [{ parts: [{ text: "half" }] }] });
      await expect(claimed.start()).rejects.toMatchObject({ code: "lease_lost" });
    });

    it("D9 takes nothing whose lease still holds", async ({ world }) => {
      const attempt = await world.running();
      world.later(LEASE_MS);
      expect(await world.recover()).toEqual({ requeued: 0, failed: 0 });
      world.later(1);
      expect(await world.recover()).toEqual({ requeued: 1, failed: 0 });
      expect(await world.state(attempt.id)).toBe("pending");
    });

    it("X14 never takes what runs where it is asked for, whatever the clock says", async ({ world }) => {
      const attempt = await world.running({}, "worker-1");
      world.later(365 * 86_400_000);
      const mine = { worker: "worker-1", running: [attempt.id] };
      expect(await world.recover(mine)).toEqual({ requeued: 0, failed: 0 });
      expect(await world.recover({ ...mine, alone: true })).toEqual({ requeued: 0, failed: 0 });
      expect(await attempt.complete()).toMatchObject({ state: "completed" });
    });

    it("D9 takes back what its own worker owns and does not run, once the lease has ended", async ({ world }) => {
      const attempt = await world.running({}, "worker-1");
      expect(await world.recover({ worker: "worker-1", alone: true })).toEqual({ requeued: 0, failed: 0 });
      expect(await world.recover({ worker: "worker-1" })).toEqual({ requeued: 0, failed: 0 });
      world.later(LEASE_MS + 1);
      expect(await world.recover({ worker: "worker-1" })).toEqual({ requeued: 1, failed: 0 });
      expect(await world.state(attempt.id)).toBe("pending");
    });

    it("takes as many as it may also when what runs where it is asked for comes first", async ({ world }) => {
      const mine = await Promise.all([1, 2, 3].map(() => world.running({}, "worker-1")));
      await world.running({}, "dead");
      world.later(LEASE_MS + 1);
      const running = mine.map(({ id }) => id);
      expect(await world.recover({ worker: "worker-1", running, limit: 1 })).toEqual({ requeued: 1, failed: 0 });
    });

    it("D9 a task waits for its child over a crash, and a child that ends while the parent is lost is not", async ({
      world,
    }) => {
      const waiting = await world.running({}, "dead");
      await waiting.delegate("editor", { parkUntil: world.now + 60_000 });
      const running = await world.running({}, "dead");
      const { task } = await running.delegate("critic");
      await world.recover({ worker: "new", alone: true });
      await (await world.run("critic", "new")).complete();
      const again = await world.run("writer", "new");
      expect(again.id).toBe(running.id);
      expect(await again.await([task.id])).toMatchObject({ state: "pending" });

      expect(await world.state(waiting.id)).toBe("waiting(reply)");
      await (await world.run("editor", "new")).complete();
      expect(await world.state(waiting.id)).toBe("pending");
    });

    it("takes back only so many at a time, and the rest with the next call", async ({ world }) => {
      for (let count = 0; count < 5; count++) await world.running({}, "dead");
      const some = () => world.recover({ limit: 2, worker: "new", alone: true });
      expect([await some(), await some(), await some(), await some()].map(({ requeued }) => requeued)).toEqual([
        2, 2, 1, 0,
      ]);
    });

    it("two that recover at once take each task back once", async ({ world }) => {
      for (let count = 0; count < 10; count++) await world.running({}, "dead");
      world.later(LEASE_MS + 1);
      const taken = await Promise.all(["a", "b", "c"].map((worker) => world.recover({ worker })));
      expect(taken.reduce((sum, { requeued }) => sum + requeued, 0)).toBe(10);
    });

    it("D14 with no attempt left the task has failed, says so, and is on the dead-letter list", async ({ world }) => {
      const attempt = await world.running({ maxAttempts: 1 });
      await attempt.append([piece("half")]);
      world.later(LEASE_MS + 1);
      expect(await world.recover()).toEqual({ requeued: 0, failed: 1 });
      const snapshot = await world.snapshot(attempt.id);
      expect(snapshot).toMatchObject({ state: "failed", artifacts: [{ parts: [{ text: "half" }] }] });
      const [dead] = (await world.ledger.system.deadLetters({ limit: 10 })).items;
      expect(dead).toMatchObject({ task: { id: attempt.id }, at: world.now });
      expect(snapshot.statusMessage?.parts).toEqual([{ text: dead?.reason }]);
    });
  });
