import { describe, expect } from "vitest";
import { type Attempt, piece } from "./attempt.contract.js";
import type { LedgerTest, World } from "./world.contract.js";

export const canceling = (it: LedgerTest) =>
  describe("canceling", () => {
    const moments: Record<string, (world: World) => Promise<string>> = {
      pending: async (world) => (await world.submit()).task.id,
      claimed: async (world) => (await world.submit({ offer: world.offer() })).task.id,
      processing: async (world) => (await world.running()).id,
      "in backoff": async (world) => {
        const attempt = await world.running();
        await attempt.fail("later", { retryAt: world.now + 1000 });
        return attempt.id;
      },
      "waiting for input": async (world) => {
        const attempt = await world.running();
        await attempt.ask("which?");
        return attempt.id;
      },
      "waiting for a reply": async (world) => {
        const attempt = await world.running();
        await attempt.delegate("editor", { parkUntil: world.now + 1000 });
        return attempt.id;
      },
    };
    for (const [moment, bring] of Object.entries(moments)) {
      it(`E12 ends a task that is ${moment}, with the reason, for good`, async ({ world }) => {
        const id = await bring(world);
        const { task, canceledIds } = await world.cancel(id, "changed my mind");
        expect(task).toMatchObject({ id, state: "canceled" });
        expect(canceledIds[0]).toBe(id);
        expect(await world.snapshot(id)).toMatchObject({
          state: "canceled",
          waitingFor: null,
          statusMessage: { role: "agent", parts: [{ text: "changed my mind" }] },
        });
        world.later(60_000);
        expect(await world.wakeDue()).toEqual({ woken: 0, nextAt: null });
        expect(await world.recover({ alone: true })).toEqual({ requeued: 0, failed: 0 });
        expect(await world.claim()).toEqual([]);
        await expect(world.cancel(id)).rejects.toMatchObject({
          reason: "TASK_NOT_CANCELABLE",
          details: { state: "canceled" },
        });
      });
    }

    it("E12 fences the running attempt by the commit itself", async ({ world }) => {
      const attempt = await world.running();
      await attempt.append([piece("half a ta")]);
      await world.cancel(attempt.id);
      for (const late of [() => attempt.append([piece("le")]), () => attempt.complete(), () => attempt.fail("late")]) {
        await expect(late()).rejects.toMatchObject({ code: "lease_lost" });
      }
      expect((await world.snapshot(attempt.id)).artifacts).toMatchObject([{ parts: [{ text: "half a ta" }] }]);
    });

    it("either a cancel or a completion that comes at once wins, and the other is told", async ({ world }) => {
      const attempt = await world.running();
      const outcomes = await Promise.allSettled([attempt.complete(), world.cancel(attempt.id)]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(await world.state(attempt.id)).toBe(outcomes[0]?.status === "fulfilled" ? "completed" : "canceled");
    });

    it("a task that is not there cannot be canceled, nor one of another tenant", async ({ world }) => {
      const { task } = await world.submit({}, "acme");
      await expect(world.cancel(task.id)).rejects.toMatchObject({ code: "not_found" });
      expect((await world.ledger.forTenant("acme").task(task.id))?.state).toBe("pending");
    });

    it("D19 cancels every unfinished descendant, the addressed one first, also below one that has ended", async ({
      world,
    }) => {
      const { root, child, grandchild } = await family(world);
      const other = await world.running();
      await child.complete();
      const { canceledIds } = await world.cancel(root.id);
      expect(canceledIds).toEqual([root.id, grandchild.id]);
      expect(await world.state(child.id)).toBe("completed");
      expect(await world.state(other.id)).toBe("processing");
      await expect(grandchild.complete()).rejects.toMatchObject({ code: "lease_lost" });
    });

    it("D19 does not touch ancestors: the parent learns how its child ended", async ({ world }) => {
      const { root, child, grandchild } = await family(world);
      await child.await([grandchild.id]);
      await root.await([child.id]);
      await world.cancel(child.id);
      expect(await world.state(root.id)).toBe("pending");
      expect(await world.state(grandchild.id)).toBe("canceled");
    });

    it("D19 leaves alone what it only awaited: another task had delegated that", async ({ world }) => {
      const parent = await world.running();
      const { task } = await parent.delegate("editor");
      const other = await world.running();
      await other.await([task.id]);
      expect((await world.cancel(other.id)).canceledIds).toEqual([other.id]);
      expect(await world.state(task.id)).toBe("pending");
    });

    it("D18 canceling a child takes its question back from everyone above", async ({ world }) => {
      const { root, child, grandchild } = await family(world);
      await child.await([grandchild.id]);
      await root.await([child.id]);
      await grandchild.ask("which one?");
      expect(await world.state(root.id)).toBe("waiting(input)");

      await world.cancel(grandchild.id);
      expect(await world.state(child.id)).toBe("pending");
      expect(await world.state(root.id)).toBe("waiting(reply)");
    });

    it("D18 so does canceling the one between", async ({ world }) => {
      const above = await world.running({ persona: "chief" });
      await above.delegate("writer", { parkUntil: world.now + 60_000 });
      const { root, child, grandchild } = await family(world, await world.run());
      await child.await([grandchild.id]);
      await root.await([child.id]);
      await grandchild.ask("which one?");
      expect(await world.state(above.id)).toBe("waiting(input)");

      await world.cancel(child.id);
      expect(await world.state(root.id)).toBe("pending");
      expect(await world.state(above.id)).toBe("waiting(reply)");
    });

    it("D18 canceling one of two that ask leaves the question of the other", async ({ world }) => {
      const above = await world.running({ persona: "chief" });
      await above.delegate("writer", { parkUntil: world.now + 60_000 });
      const parent = await world.run();
      const [editing, criticism] = [await parent.delegate("editor"), await parent.delegate("critic")];
      await parent.await([editing.task.id, criticism.task.id]);
      await (await world.run("editor")).ask("first?");
      await (await world.run("critic")).ask("second?");
      await world.cancel(editing.task.id);

      // The parent is woken, since one that it awaits has ended; it will wait for the other again.
      await (await world.run()).await([criticism.task.id]);
      for (const { id } of [above, parent]) {
        expect(await world.snapshot(id)).toMatchObject({ waitingFor: "input", askingChildId: criticism.task.id });
      }
    });

    it("D12 frees the place that the canceled task held", async ({ world }) => {
      const parent = await world.running();
      const { task } = await parent.delegate("editor", { maxConcurrentPerTarget: 1 });
      await world.cancel(task.id);
      expect(await parent.delegate("editor", { maxConcurrentPerTarget: 1 })).toMatchObject({ created: true });
    });
  });

/** writer → editor → critic; all of them run. */
async function family(world: World, writer?: Attempt) {
  const root = writer ?? (await world.running());
  await root.delegate("editor");
  const child = await world.run("editor");
  await child.delegate("critic");
  const grandchild = await world.run("critic");
  return { root, child, grandchild };
}
