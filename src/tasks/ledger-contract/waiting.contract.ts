import { describe, expect } from "vitest";
import { newId } from "../../shared/ids.js";
import type { Attempt } from "./attempt.contract.js";
import { LEASE_MS, type LedgerTest } from "./world.contract.js";

export const waiting = (it: LedgerTest) =>
  describe("waiting", () => {
    it("D3 a run that awaits its child parks, and the end of the child wakes it", async ({ world }) => {
      const parent = await world.running();
      const { parked } = await parent.delegate("editor", { parkUntil: world.now + 60_000 });
      expect(parked).toBe(true);
      expect(await world.state(parent.id)).toBe("waiting(reply)");
      await expect(parent.complete()).rejects.toMatchObject({ code: "lease_lost" });

      await (await world.run("editor")).complete();
      expect(await world.state(parent.id)).toBe("pending");
      expect((await world.run()).claim.snapshot).toMatchObject({ id: parent.id, attempt: 1, turn: 1 });
    });

    for (const how of ["fails", "is canceled", "loses its last attempt"] as const) {
      it(`wakes also when the child ${how}`, async ({ world }) => {
        const parent = await world.running();
        const { task } = await parent.delegate("editor", { parkUntil: world.now + 60_000 });
        const child = await world.run("editor");
        if (how === "fails") await child.fail("no", { retryable: false });
        else if (how === "is canceled") await world.cancel(task.id);
        else {
          for (let attempt = 1; attempt <= 3; attempt++) {
            world.later(LEASE_MS + 1);
            await world.recover();
            await world.claim({ personas: ["editor"] });
          }
        }
        expect(await world.state(parent.id)).toBe("pending");
      });
    }

    it("D17 a waiting task holds no lease: nothing of it is lost with its worker", async ({ world }) => {
      const parent = await world.running();
      await parent.delegate("editor", { parkUntil: world.now + 60_000 });
      world.later(LEASE_MS + 1);
      expect(await world.recover({ alone: true })).toEqual({ requeued: 0, failed: 0 });
      expect(await world.state(parent.id)).toBe("waiting(reply)");
    });

    it("D3 wakes when its time is up, and the child goes on", async ({ world }) => {
      const parent = await world.running();
      const until = world.now + 1000;
      const { task } = await parent.delegate("editor", { parkUntil: until });
      expect(await world.wakeDue()).toEqual({ woken: 0, nextAt: until });
      world.later(1000);
      expect(await world.wakeDue()).toEqual({ woken: 1, nextAt: null });
      expect(await world.state(parent.id)).toBe("pending");
      expect(await world.state(task.id)).toBe("pending");
    });

    it("D17 a run that awaits nobody here waits for its time alone, and holds no lease", async ({ world }) => {
      const run = await world.running();
      const until = world.now + 1000;
      await run.await([], until);
      expect(await world.state(run.id)).toBe("waiting(reply)");
      world.later(999);
      expect(await world.wakeDue()).toEqual({ woken: 0, nextAt: until });
      world.later(1);
      expect(await world.wakeDue()).toEqual({ woken: 1, nextAt: null });
      expect((await world.run()).claim.snapshot).toMatchObject({ id: run.id, attempt: 1 });
    });

    it("wakes no more than it was asked to, those that are due first", async ({ world }) => {
      const parents: Attempt[] = [];
      for (const ms of [300, 100, 200]) {
        const parent = await world.running();
        await parent.delegate("editor", { parkUntil: world.now + ms });
        parents.push(parent);
      }
      world.later(1000);
      const woken = await world.ledger.system.wakeDue({ now: world.now, limit: 2 });
      expect(woken).toEqual({ woken: 2, nextAt: world.now - 700 });
      expect(await Promise.all(parents.map(({ id }) => world.state(id)))).toEqual([
        "waiting(reply)",
        "pending",
        "pending",
      ]);
    });

    it("does not park for a child that has ended meanwhile", async ({ world }) => {
      const parent = await world.running();
      const { task } = await parent.delegate("editor");
      await (await world.run("editor")).complete();
      expect(await parent.await([task.id])).toMatchObject({ state: "pending" });
      expect((await world.run()).claim.snapshot.attempt).toBe(1);
    });

    it("the first of several to end wakes the parent, which may go on to wait for the others", async ({ world }) => {
      const parent = await world.running();
      const [one, two] = [await parent.delegate("editor"), await parent.delegate("critic")];
      await parent.await([one.task.id, two.task.id]);
      await (await world.run("critic")).complete();
      const woken = await world.run();
      await woken.await([one.task.id]);
      expect(await world.state(parent.id)).toBe("waiting(reply)");
      await (await world.run("editor")).complete();
      expect(await world.state(parent.id)).toBe("pending");
    });

    it("a child that is no longer awaited wakes nobody", async ({ world }) => {
      const parent = await world.running();
      await parent.delegate("editor", { parkUntil: world.now + 1000 });
      world.later(1000);
      await world.wakeDue();
      const woken = await world.run();
      await woken.delegate("critic", { parkUntil: world.now + 60_000 });
      await (await world.run("editor")).complete();
      expect(await world.state(parent.id)).toBe("waiting(reply)");
      await (await world.run("critic")).complete();
      expect(await world.state(parent.id)).toBe("pending");
    });

    it("a child that is no longer awaited does not disturb the question of its parent", async ({ world }) => {
      const parent = await world.running();
      await parent.delegate("editor", { parkUntil: world.now + 1000 });
      world.later(1000);
      await world.wakeDue();
      await (await world.run()).ask("which one?");
      await (await world.run("editor")).complete();
      expect(await world.state(parent.id)).toBe("waiting(input)");
      await world.answer(parent.id, "that one");
      expect((await world.run()).claim.snapshot).toMatchObject({ turn: 2 });
    });

    it("D5 a run may await what an earlier run delegated, in another tree", async ({ world }) => {
      const earlier = await world.running();
      const { task } = await earlier.delegate("editor");
      await earlier.complete();
      const later = await world.running();
      await later.await([task.id]);
      expect((await world.ledger.system.queueFacts("default", later.id))?.awaited.map(({ id }) => id)).toEqual([
        task.id,
      ]);
      await (await world.run("editor")).complete();
      expect(await world.state(later.id)).toBe("pending");
    });

    it("D5 several runs may await the same task, and its end wakes them all", async ({ world }) => {
      const parent = await world.running();
      const { task } = await parent.delegate("editor", { parkUntil: world.now + 60_000 });
      const other = await world.running();
      await other.await([task.id]);
      await (await world.run("editor")).complete();
      expect(await world.state(parent.id)).toBe("pending");
      expect(await world.state(other.id)).toBe("pending");
    });

    it("whoever ends a child may claim the parent in the same transaction", async ({ world }) => {
      const parent = await world.running();
      await parent.delegate("editor", { parkUntil: world.now + 60_000 });
      const { claim } = await (await world.run("editor")).complete(world.offer("worker-3"));
      expect(claim?.lease).toMatchObject({ taskId: parent.id, owner: "worker-3" });
      expect(claim?.snapshot).toEqual(await world.snapshot(parent.id));
      expect(claim?.snapshot).toMatchObject({ state: "claimed", attempt: 1 });
      const resumed = world.attempt(claim);
      await resumed.start();
      expect(await resumed.complete()).toMatchObject({ state: "completed" });
    });

    it("such a claim never overtakes an older task that may run", async ({ world }) => {
      const contextId = newId();
      const first = await world.running({ contextId });
      const older = await world.submit({ contextId });
      const parent = await world.running();
      await parent.delegate("editor", { parkUntil: world.now + 60_000 });
      await first.complete();
      expect((await (await world.run("editor")).complete(world.offer())).claim).toBeUndefined();
      expect((await world.claim()).map(({ id }) => id)).toEqual([older.task.id, parent.id]);
    });

    it("an offer that wakes nobody is not taken", async ({ world }) => {
      const parent = await world.running();
      await parent.delegate("editor");
      expect(await (await world.run("editor")).complete(world.offer())).toEqual({ state: "completed", seq: 3 });
    });

    it("a woken task goes to the place that its age gives it", async ({ world }) => {
      const parent = await world.running();
      await parent.delegate("editor", { parkUntil: world.now + 60_000 });
      world.later(10);
      const newer = await world.submit();
      await (await world.run("editor")).complete();
      expect((await world.claim()).map(({ id }) => id)).toEqual([parent.id, newer.task.id]);
    });

    it("X1 keeps what it had recorded: the journal goes on over a wait", async ({ world }) => {
      const parent = await world.running();
      const step = { step: 1, turn: 1, kind: "tool_call", key: "send", data: { name: "persona_send" }, at: world.now };
      await parent.append([], [step]);
      await parent.delegate("editor", { parkUntil: world.now + 60_000 });
      await (await world.run("editor")).complete();
      expect((await world.run()).claim.journal).toEqual([step]);
    });
  });
