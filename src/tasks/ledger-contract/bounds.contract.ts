import { describe, expect } from "vitest";
import type { Submit } from "../ledger.js";
import { userSays } from "./messages.contract.js";
import { type LedgerTest, TENANT, type World } from "./world.contract.js";

/** Long enough for a queue that was found full to be looked at again. */
const A_MOMENT = 1000;

const bounded = (world: World, perPersona: number, perTenant = 100) => ({
  bounds: { perPersona, perTenant },
  submit: (over: Partial<Submit> = {}, tenant = TENANT) =>
    world.submit({ bounds: { perPersona, perTenant }, ...over }, tenant),
});

export const queueBounds = (it: LedgerTest) =>
  describe("queue bounds", () => {
    it("refuse what would be pending beyond the bound of its persona: retryably, and nothing of it is written", async ({
      world,
    }) => {
      const { submit } = bounded(world, 2);
      await submit();
      await submit();
      const message = userSays("one too many");
      await expect(submit({ message })).rejects.toMatchObject({
        code: "limit_reached",
        reason: "maxPendingPerPersona",
        retryable: true,
        details: { limit: 2 },
      });
      expect((await world.tenant.list({ limit: 10 })).items).toHaveLength(2);
      expect(await submit({ persona: "editor" })).toMatchObject({ created: true });
      expect(await submit({}, "acme")).toMatchObject({ created: true });

      await world.claim({ limit: 1 });
      world.later(A_MOMENT);
      expect(await submit({ message })).toMatchObject({ created: true });
    });

    it("hold for all personas of a tenant together, too", async ({ world }) => {
      const { submit } = bounded(world, 10, 2);
      await submit();
      await submit({ persona: "editor" });
      const refusal = { code: "limit_reached", reason: "maxPendingPerTenant", retryable: true };
      await expect(submit({ persona: "critic" })).rejects.toMatchObject(refusal);
      expect(await submit({ persona: "critic" }, "acme")).toMatchObject({ created: true });
    });

    it("do not hold for what a worker takes at once", async ({ world }) => {
      const { submit } = bounded(world, 1, 1);
      await submit({ persona: "editor" });
      const { claim } = await submit({ offer: world.offer() });
      expect(claim).toBeDefined();
    });

    it("count what stands behind another task of its context", async ({ world }) => {
      const { submit } = bounded(world, 2);
      const contextId = "context-1";
      for (const _ of ["first", "second"]) await submit({ contextId });
      await expect(submit({ contextId })).rejects.toMatchObject({ reason: "maxPendingPerPersona" });
      await expect(submit()).rejects.toMatchObject({ reason: "maxPendingPerPersona" });
    });

    it("invariant 5 a message that has its task is answered by a full queue, and another body is a conflict", async ({
      world,
    }) => {
      const { submit } = bounded(world, 1);
      const message = userSays("once");
      const { task } = await submit({ message });
      await expect(submit()).rejects.toMatchObject({ code: "limit_reached" });
      expect(await submit({ message })).toEqual({ task, created: false });
      const other = { ...message, parts: [{ text: "twice" }] };
      await expect(submit({ message: other })).rejects.toMatchObject({ code: "conflict" });
    });

    it("count what comes back: waiting for its next attempt, woken, taken from a worker that is gone", async ({
      world,
    }) => {
      const { submit } = bounded(world, 3);
      const [failing, asking, lost] = [await world.running(), await world.running(), await world.running()];
      await submit();
      await failing.fail("busy", { retryAt: world.now + 60_000 });
      await asking.ask("which?");
      await world.answer(asking.id, "that one");
      await expect(submit()).rejects.toMatchObject({ reason: "maxPendingPerPersona" });

      world.later(60_000);
      await world.recover();
      expect(await world.state(lost.id)).toBe("pending");
      await world.claim({ limit: 1 });
      await expect(submit()).rejects.toMatchObject({ reason: "maxPendingPerPersona" });
      await world.claim({ limit: 1 });
      world.later(A_MOMENT);
      expect(await submit()).toMatchObject({ created: true });
    });

    it("refuse a delegation, which takes nothing of the parent's record with it", async ({ world }) => {
      const { bounds, submit } = bounded(world, 1);
      const parent = await world.running();
      await submit({ persona: "editor" });
      const before = await world.snapshot(parent.id);
      for (const parkUntil of [undefined, world.now + 60_000]) {
        const child = parkUntil === undefined ? { bounds } : { bounds, parkUntil };
        await expect(parent.delegate("editor", child)).rejects.toMatchObject({
          code: "limit_reached",
          reason: "maxPendingPerPersona",
        });
      }
      expect(await world.snapshot(parent.id)).toEqual(before);
      await world.claim({ personas: ["editor"] });
      world.later(A_MOMENT);
      expect(await parent.delegate("editor", { bounds })).toMatchObject({ created: true });
    });

    it("D8 do not turn the operator away who retries a dead letter", async ({ world }) => {
      const { submit } = bounded(world, 1);
      const failing = await world.running({ maxAttempts: 1 });
      await failing.fail("broken");
      await submit();
      expect(await world.retryDead(failing.id)).toMatchObject({ created: true, task: { state: "pending" } });
      await world.claim({ limit: 1 });
      await expect(submit()).rejects.toMatchObject({ reason: "maxPendingPerPersona" });
    });
  });
