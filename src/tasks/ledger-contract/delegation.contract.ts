import { describe, expect } from "vitest";
import { step } from "./attempt.contract.js";
import { LEASE_MS, type LedgerTest } from "./world.contract.js";

export const delegation = (it: LedgerTest) =>
  describe("delegation", () => {
    it("D2 makes a child that knows its parent, its root and its depth, while the parent runs on", async ({
      world,
    }) => {
      const root = await world.running();
      const child = await root.delegate("editor");
      expect(child).toMatchObject({
        created: true,
        task: { parentId: root.id, rootId: root.id, hop: 1, state: "pending" },
      });
      expect(child.parked).toBeUndefined();
      const grandchild = await (await world.run("editor")).delegate("critic");
      expect(grandchild.task).toMatchObject({ parentId: child.task.id, rootId: root.id, hop: 2 });
      expect(await world.tenant.children(root.id)).toEqual([await world.tenant.task(child.task.id)]);
      expect(await root.complete()).toMatchObject({ state: "completed" });
    });

    it("records what the run had buffered in the transaction that makes the child", async ({ world }) => {
      const { claim } = await world.submit({ offer: world.offer() });
      const parent = world.attempt(claim);
      const from = parent.record([{ type: "status", state: "processing" }], [step(1, "send", world.now)]);
      const { rootId, contextId } = parent.claim.snapshot;
      const limits = { maxConcurrentPerTarget: 1, maxChildrenPerTask: 1, maxTasksPerRoot: 1, maxTokensPerRoot: 1 };
      await world.submit({ contextId, persona: "editor", delegation: { from, rootId, hop: 1, ...limits } });
      expect(await world.snapshot(parent.id)).toMatchObject({ state: "processing", seq: 3 });
      world.later(LEASE_MS + 1);
      await world.recover();
      expect((await world.run()).claim.journal).toEqual([step(1, "send", parent.claim.snapshot.createdAt)]);
    });

    it("a refused child takes nothing of the record with it", async ({ world }) => {
      const parent = await world.running();
      await parent.delegate("editor");
      const before = await world.snapshot(parent.id);
      await expect(parent.delegate("editor", { maxConcurrentPerTarget: 1 })).rejects.toMatchObject({
        code: "limit_reached",
      });
      await expect(
        parent.delegate("editor", { maxConcurrentPerTarget: 1, parkUntil: world.now + 1 }),
      ).rejects.toMatchObject({ code: "limit_reached" });
      expect(await world.snapshot(parent.id)).toEqual(before);
      expect(await parent.complete()).toMatchObject({ state: "completed" });
    });

    it("gives the slot that a parking parent frees to its child, in the same transaction", async ({ world }) => {
      const parent = await world.running();
      const { task, claim, parked } = await parent.delegate("editor", {
        parkUntil: world.now + 1,
        offer: world.offer(),
      });
      expect(parked).toBe(true);
      expect(claim?.snapshot).toEqual(await world.snapshot(task.id));
      const child = world.attempt(claim);
      await child.start();
      await child.complete();
      expect(await world.state(parent.id)).toBe("pending");
    });

    it("the same step again is the child that is there, and no guard counts it twice", async ({ world }) => {
      const parent = await world.running();
      const one = { step: "call-1", maxConcurrentPerTarget: 1, maxChildrenPerTask: 1, maxTasksPerRoot: 1 };
      const first = await parent.delegate("editor", one);
      const again = await parent.delegate("editor", one);
      expect(again).toEqual({ task: first.task, created: false });
      expect(await world.tenant.children(parent.id)).toHaveLength(1);
    });

    it("a later attempt that repeats the step with a park waits for the child that is there", async ({ world }) => {
      const died = await world.running();
      const first = await died.delegate("editor", { step: "call-1" });
      world.later(LEASE_MS + 1);
      await world.recover();
      const next = await world.run();
      const again = await next.delegate("editor", { step: "call-1", parkUntil: world.now + 60_000 });
      expect(again).toMatchObject({ created: false, parked: true, task: { id: first.task.id } });
      await (await world.run("editor")).complete();
      expect(await world.state(next.id)).toBe("pending");
    });

    it("a repeated step does not park for a child that has ended", async ({ world }) => {
      const died = await world.running();
      await died.delegate("editor", { step: "call-1" });
      await (await world.run("editor")).complete();
      world.later(LEASE_MS + 1);
      await world.recover();
      const next = await world.run();
      const again = await next.delegate("editor", { step: "call-1", parkUntil: world.now + 60_000 });
      expect(again).toMatchObject({ created: false, task: { state: "completed" } });
      expect(again.parked).toBeUndefined();
      expect(await next.complete()).toMatchObject({ state: "completed" });
    });

    it("a repeated step relays the question that the child asks", async ({ world }) => {
      const died = await world.running();
      const { task } = await died.delegate("editor", { step: "call-1" });
      await (await world.run("editor")).ask("which?");
      world.later(LEASE_MS + 1);
      await world.recover();
      const next = await world.run();
      expect(await next.delegate("editor", { step: "call-1", parkUntil: world.now + 60_000 })).toMatchObject({
        parked: true,
      });
      expect(await world.snapshot(next.id)).toMatchObject({
        state: "waiting",
        waitingFor: "input",
        askingChildId: task.id,
      });
    });

    it("D12 rejects a further delegation to a persona until one has finished", async ({ world }) => {
      const parent = await world.running();
      await parent.delegate("editor", { maxConcurrentPerTarget: 1 });
      const further = () => parent.delegate("editor", { maxConcurrentPerTarget: 1 });
      await expect(further()).rejects.toMatchObject({
        code: "limit_reached",
        reason: "maxConcurrentPerTarget",
        details: { limit: 1 },
      });
      await (await world.run("editor")).complete();
      expect(await further()).toMatchObject({ created: true });
    });

    it("D12 waiting, retrying and crashed tasks hold their place", async ({ world }) => {
      const parent = await world.running();
      const further = () => parent.delegate("editor", { maxConcurrentPerTarget: 1 });
      await further();
      const refused = () => expect(further()).rejects.toMatchObject({ reason: "maxConcurrentPerTarget" });

      await (await world.run("editor")).fail("busy", { retryAt: world.now + 5 });
      await refused();
      world.later(5);
      await world.run("editor");
      await refused();
      world.later(LEASE_MS + 1);
      await world.heartbeat(parent);
      await world.recover();
      await refused();
      const child = await world.run("editor");
      await child.ask("which?");
      await refused();
      await world.cancel(child.id);
      expect(await further()).toMatchObject({ created: true });
    });

    it("D12 counts delegations only, from every parent, of one tenant", async ({ world }) => {
      await world.submit({ persona: "editor" });
      await world.submit({ persona: "editor" }, "acme");
      const [one, two] = [await world.running(), await world.running()];
      await one.delegate("editor", { maxConcurrentPerTarget: 1 });
      await expect(two.delegate("editor", { maxConcurrentPerTarget: 1 })).rejects.toMatchObject({
        code: "limit_reached",
      });
      expect(await two.delegate("critic", { maxConcurrentPerTarget: 1 })).toMatchObject({ created: true });
    });

    it("D12 of many that delegate at once exactly as many pass as there are places", async ({ world }) => {
      const parents = [];
      for (let count = 0; count < 10; count++) parents.push(await world.running());
      const outcomes = await Promise.allSettled(
        parents.map((each) => each.delegate("editor", { maxConcurrentPerTarget: 3 })),
      );
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    });

    it("D16 bounds the children of a task, finished ones included", async ({ world }) => {
      const parent = await world.running();
      await parent.delegate("editor");
      await (await world.run("editor")).complete();
      await parent.delegate("critic");
      await expect(parent.delegate("poet", { maxChildrenPerTask: 2 })).rejects.toMatchObject({
        code: "limit_reached",
        reason: "maxChildrenPerTask",
      });
    });

    it("D16 bounds what one request from outside may lead to, at any depth", async ({ world }) => {
      const root = await world.running();
      await root.delegate("editor");
      const child = await world.run("editor");
      await child.delegate("critic");
      const grandchild = await world.run("critic");
      for (const attempt of [root, child, grandchild]) {
        await expect(attempt.delegate("poet", { maxTasksPerRoot: 2 })).rejects.toMatchObject({
          code: "limit_reached",
          reason: "maxTasksPerRoot",
        });
      }
      expect(await (await world.running()).delegate("poet", { maxTasksPerRoot: 2 })).toMatchObject({ created: true });
    });

    it("D16 bounds the tokens that one request from outside uses, at any depth", async ({ world }) => {
      const root = await world.running();
      await root.spend(30, 20);
      await root.delegate("editor", { maxTokensPerRoot: 51 });
      const child = await world.run("editor");
      await child.spend(49, 1);
      expect(await world.tenant.tokensOfRoot(root.id)).toBe(100);
      for (const attempt of [root, child]) {
        await expect(attempt.delegate("poet", { maxTokensPerRoot: 100 })).rejects.toMatchObject({
          code: "limit_reached",
          reason: "maxTokensPerRoot",
          details: { limit: 100 },
        });
      }
      await child.complete();
      expect(await root.delegate("poet", { maxTokensPerRoot: 101 })).toMatchObject({ created: true });
      expect(await world.tenant.tokensOfRoot((await world.running()).id)).toBe(0);
    });

    it("D19 a child outlives the turn of its parent, however that ends", async ({ world }) => {
      const completed = await world.running();
      const failed = await world.running();
      const first = await completed.delegate("editor");
      world.later(1);
      const second = await failed.delegate("editor");
      await completed.complete();
      await failed.fail("no", { retryable: false });
      expect((await world.claim({ personas: ["editor"] })).map(({ id }) => id)).toEqual([
        first.task.id,
        second.task.id,
      ]);
    });
  });
