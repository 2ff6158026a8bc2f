import { describe, expect } from "vitest";
import { newId } from "../../shared/ids.js";
import type { Attempt } from "./attempt.contract.js";
import { agentSays } from "./messages.contract.js";
import { LEASE_MS, type LedgerTest, type World } from "./world.contract.js";

export const order = (it: LedgerTest) =>
  describe("order", () => {
    it("tasks of one lane run one after another, in the order in which they came", async ({ world }) => {
      const ids = await inOneLane(world, 3);
      for (const id of ids) {
        const attempt = await world.run();
        expect(attempt.id).toBe(id);
        expect(await world.claim()).toEqual([]);
        await attempt.complete();
      }
    });

    it("contexts do not hold each other up", async ({ world }) => {
      await inOneLane(world, 2);
      await inOneLane(world, 2);
      expect(await world.claim()).toHaveLength(2);
    });

    it("a lane belongs to one tenant", async ({ world }) => {
      const contextId = newId();
      await world.submit({ contextId });
      await world.submit({ contextId }, "acme");
      expect(await world.claim()).toHaveLength(1);
      expect(await world.claim({ tenant: "acme" })).toHaveLength(1);
    });

    it("a task with a free slot waits for its lane all the same", async ({ world }) => {
      const contextId = newId();
      const first = await world.running({ contextId });
      const second = await world.submit({ contextId, offer: world.offer() });
      expect(second.claim).toBeUndefined();
      await first.complete();
      expect((await world.run()).id).toBe(second.task.id);
    });

    const ends: Record<string, (attempt: Attempt, world: World) => Promise<unknown>> = {
      completed: (attempt) => attempt.complete(),
      rejected: (attempt) => attempt.settle({ type: "rejected", message: agentSays("not my work") }),
      failed: (attempt) => attempt.fail("no", { retryable: false }),
      canceled: (attempt, world) => world.cancel(attempt.id),
      "waiting for input": (attempt) => attempt.ask("which?"),
      "waiting for credentials": (attempt) => attempt.ask("who are you?", "auth"),
    };
    for (const [how, end] of Object.entries(ends)) {
      it(`the lane passes on from a task that is ${how}`, async ({ world }) => {
        const [, second] = await inOneLane(world, 3);
        await end(await world.run(), world);
        expect((await world.claim()).map(({ id }) => id)).toEqual([second]);
      });
    }

    const stays: Record<string, (attempt: Attempt, world: World) => Promise<unknown>> = {
      "in backoff": (attempt, world) => attempt.fail("later", { retryAt: world.now + 1000 }),
      "waiting for a reply": (attempt, world) => attempt.delegate("editor", { parkUntil: world.now + 1000 }),
    };
    for (const [how, stay] of Object.entries(stays)) {
      it(`the lane stays with a task that is ${how}`, async ({ world }) => {
        await inOneLane(world, 2);
        await stay(await world.run(), world);
        expect(await world.claim()).toEqual([]);
      });
    }

    it("the lane stays with a task whose worker is gone, and passes on when no attempt is left", async ({ world }) => {
      const [first, second] = await inOneLane(world, 2, 2);
      await world.run();
      world.later(LEASE_MS + 1);
      await world.recover();
      expect((await world.claim()).map(({ id }) => id)).toEqual([first]);
      world.later(LEASE_MS + 1);
      await world.recover();
      expect((await world.claim()).map(({ id }) => id)).toEqual([second]);
    });

    it("a task that was answered waits until the one that passed it is done", async ({ world }) => {
      const [first, second, third] = await inOneLane(world, 3);
      await (await world.run()).ask("which?");
      const passing = await world.run();
      await world.answer(first as string, "that one");
      expect(await world.claim()).toEqual([]);
      expect((await world.ledger.system.queueFacts("default", first as string))?.behind?.id).toBe(second);
      await passing.complete();
      const answered = await world.run();
      expect(answered.id).toBe(first);
      await answered.complete();
      expect((await world.run()).id).toBe(third);
    });

    it("of several that were answered the oldest goes first", async ({ world }) => {
      const [first, second, third] = await inOneLane(world, 3);
      await (await world.run()).ask("which?");
      await (await world.run()).ask("and which?");
      const passing = await world.run();
      expect(passing.id).toBe(third);
      await world.answer(second as string, "b");
      await world.answer(first as string, "a");
      await passing.complete();
      for (const id of [first, second]) {
        const attempt = await world.run();
        expect(attempt.id).toBe(id);
        await attempt.complete();
      }
    });

    it("D10 a delegated task runs although its parent still runs in the context", async ({ world }) => {
      const contextId = newId();
      const parent = await world.running({ contextId });
      const { task } = await parent.delegate("writer");
      expect((await world.run()).id).toBe(task.id);
    });

    it("a question of a child lets the next task pass, and the answer does not bring two of one lane to run", async ({
      world,
    }) => {
      const [first, second] = await inOneLane(world, 2);
      const parent = await world.run();
      await parent.delegate("editor", { parkUntil: world.now + 60_000 });
      await (await world.run("editor")).ask("which?");
      const passing = await world.run();
      expect(passing.id).toBe(second);

      await world.answer(first as string, "that one");
      await (await world.run("editor")).complete();
      expect(await world.claim()).toEqual([]);
      await passing.complete();
      expect((await world.run()).id).toBe(first);
    });

    it("a canceled task behind another leaves the lane in order", async ({ world }) => {
      const [, second, third] = await inOneLane(world, 3);
      const first = await world.run();
      await world.cancel(second as string);
      expect(await world.claim()).toEqual([]);
      await first.complete();
      expect((await world.run()).id).toBe(third);
    });
  });

async function inOneLane(world: World, count: number, maxAttempts = 3): Promise<string[]> {
  const contextId = newId();
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push((await world.submit({ contextId, maxAttempts })).task.id);
  return ids;
}
