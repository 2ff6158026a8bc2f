import { describe, expect, vi } from "vitest";
import { newId } from "../../shared/ids.js";
import { piece } from "./attempt.contract.js";
import { type LedgerTest, TENANT } from "./world.contract.js";

export const announcing = (it: LedgerTest) =>
  describe("announcing", () => {
    it("invariant 2 tells of a change when it can be read, before the caller is answered", async ({ world }) => {
      const told: Promise<unknown>[] = [];
      world.ledger.onChange(({ taskId }) => told.push(world.tenant.snapshot(taskId)));
      const { task } = await world.submit();
      expect(told).toHaveLength(1);
      expect(await told[0]).toMatchObject({ id: task.id, seq: 1 });
    });

    it("tells where the task stands, and what was added", async ({ world }) => {
      const attempt = await world.running();
      await attempt.append([piece("a"), piece("b")]);
      expect(world.changes.at(-1)).toEqual({
        tenant: TENANT,
        taskId: attempt.id,
        rootId: attempt.id,
        persona: "writer",
        state: "processing",
        seq: 4,
        runnable: false,
        runAt: world.now,
        wakeAt: null,
        events: await world.tenant.events(attempt.id, 2),
      });
    });

    it("a listener that fails keeps neither the caller nor the other listeners from hearing", async ({ world }) => {
      const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
      const stop = world.ledger.onChange(() => {
        throw new Error("a listener with a fault");
      });
      const heard: string[] = [];
      const stopHearing = world.ledger.onChange(({ taskId }) => heard.push(taskId));
      const { task } = await world.submit();
      expect(heard).toEqual([task.id]);
      expect(warned).toHaveBeenCalled();
      warned.mockRestore();
      stop();
      stopHearing();
    });

    it("invariant 2 tells nothing of what was refused", async ({ world }) => {
      const attempt = await world.running();
      await attempt.delegate("editor");
      const before = world.changes.length;
      await expect(attempt.delegate("editor", { maxChildrenPerTask: 1 })).rejects.toThrow();
      await expect(world.answer(attempt.id, "early")).rejects.toThrow();
      await expect(world.cancel(newId())).rejects.toThrow();
      expect(world.changes).toHaveLength(before);
    });

    it("tells of a task that may be claimed, when it may: submitted, retried, woken, or next in its lane", async ({
      world,
    }) => {
      const last = () => {
        const { taskId, runnable, runAt } = world.changes.at(-1) ?? {};
        return runnable ? { taskId, runAt } : null;
      };
      const contextId = newId();
      const { task } = await world.submit({ contextId });
      expect(last()).toEqual({ taskId: task.id, runAt: world.now });
      const { task: next } = await world.submit({ contextId });
      expect(last()).toBeNull();
      await (await world.run()).fail("busy", { retryAt: world.now + 5 });
      expect(last()).toEqual({ taskId: task.id, runAt: world.now + 5 });
      world.later(5);
      const parent = await world.run();
      await parent.delegate("editor", { parkUntil: world.now + 60_000 });
      await (await world.run("editor")).complete();
      expect(last()).toEqual({ taskId: task.id, runAt: task.createdAt });
      await (await world.run()).complete();
      expect(last()).toEqual({ taskId: next.id, runAt: next.runAt });
    });

    it("tells nobody who has stopped listening", async ({ world }) => {
      let told = 0;
      const stop = world.ledger.onChange(() => {
        told += 1;
      });
      await world.submit();
      stop();
      await world.submit();
      expect(told).toBe(1);
    });

    it("a listener may stop while it is told", async ({ world }) => {
      const heard: string[] = [];
      const stop = world.ledger.onChange(({ taskId }) => {
        heard.push(taskId);
        stop();
      });
      const { task } = await world.submit();
      await world.submit();
      expect(heard).toEqual([task.id]);
    });

    it("invariant 3 many writers at once are announced in the order of their events", async ({ world }) => {
      const attempts = [await world.running(), await world.running(), await world.running()];
      await Promise.all(Array.from({ length: 30 }, (_, n) => attempts[n % 3]?.append([piece(`${n} `), piece(`${n}`)])));
      for (const { id } of attempts) {
        const seqs = world.changes
          .filter(({ taskId }) => taskId === id)
          .flatMap(({ events = [] }) => events.map(({ seq }) => seq));
        expect(seqs).toEqual(Array.from({ length: 22 }, (_, n) => n + 1));
      }
    });
  });
