import { describe, expect } from "vitest";
import { newId } from "../../shared/ids.js";
import type { Submit } from "../ledger.js";
import { type Message, textOf } from "../message.js";
import { userSays } from "./messages.contract.js";
import type { LedgerTest, World } from "./world.contract.js";

export const deadLetters = (it: LedgerTest) =>
  describe("dead letters", () => {
    it("D8 what has used up its attempts is listed with its reason, newest first", async ({ world }) => {
      const first = await dead(world, "one");
      const second = await dead(world, "two");
      const { items, nextCursor } = await world.ledger.system.deadLetters({ limit: 10 });
      expect(items).toEqual([
        { task: await world.tenant.task(second), reason: "two", at: world.now, retriedAs: null },
        { task: await world.tenant.task(first), reason: "one", at: world.now, retriedAs: null },
      ]);
      expect(nextCursor).toBeNull();
      expect((await world.ledger.system.counts()).dead).toBe(2);
    });

    it("D8 is walked page by page, and one is found by its task", async ({ world }) => {
      const ids = [await dead(world), await dead(world), await dead(world)].reverse();
      const page = await world.ledger.system.deadLetters({ limit: 2 });
      const rest = await world.ledger.system.deadLetters({ limit: 2, cursor: page.nextCursor as string });
      expect([...page.items, ...rest.items].map(({ task }) => task.id)).toEqual(ids);
      expect(rest.nextCursor).toBeNull();
      const one = await world.ledger.system.deadLetters({ limit: 10, taskId: ids[1] as string });
      expect(one.items.map(({ task }) => task.id)).toEqual([ids[1]]);
    });

    it("D8 invariant 6 a retry is a new task that names the old one, which stays as it is", async ({ world }) => {
      const message = userSays("a haiku");
      const contextId = newId();
      const id = await dead(world, "busy", { message, contextId, maxAttempts: 2, hop: 2, principal: "user:bob" });
      const before = await world.snapshot(id);
      const again = newId();
      const { task, created } = await world.tenant.retryDead({ taskId: id, newId: again, now: world.now });

      expect(created).toBe(true);
      expect(task).toMatchObject({ id: again, retryOf: id, trigger: "retry", state: "pending", attempt: 0, contextId });
      expect(task).toMatchObject({ persona: "writer", principal: "user:bob", hop: 2 });
      expect(await world.snapshot(id)).toEqual(before);
      const attempt = await world.run();
      expect(attempt.claim).toMatchObject({ maxAttempts: 2, journal: [], snapshot: { id: again, work: message } });
    });

    it("D8 is retried once, however often that is asked for", async ({ world }) => {
      const id = await dead(world);
      const outcomes = await Promise.allSettled([world.retryDead(id), world.retryDead(id), world.retryDead(id)]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
      await expect(world.retryDead(id)).rejects.toMatchObject({ code: "conflict" });
      const { items } = await world.ledger.system.deadLetters({ limit: 10 });
      expect(items).toMatchObject([{ task: { id }, retriedAs: expect.any(String) }]);
      expect((await world.ledger.system.counts()).dead).toBe(0);
    });

    it("D8 a retry that dies, too, is a dead letter of its own", async ({ world }) => {
      const id = await dead(world, "busy", { maxAttempts: 1 });
      const { task } = await world.retryDead(id);
      await (await world.run()).fail("still busy");
      const { items } = await world.ledger.system.deadLetters({ limit: 10 });
      expect(items.map((letter) => [letter.task.id, letter.task.retryOf, letter.retriedAs])).toEqual([
        [task.id, id, null],
        [id, null, task.id],
      ]);
      expect(await world.retryDead(task.id)).toMatchObject({ created: true });
    });

    it("D8 a retry takes its place in the context, behind what is there", async ({ world }) => {
      const contextId = newId();
      const id = await dead(world, "busy", { contextId });
      const running = await world.running({ contextId });
      const { task } = await world.retryDead(id);
      expect(await world.claim()).toEqual([]);
      await running.complete();
      expect((await world.run()).id).toBe(task.id);
    });

    it("D8 the retry of a delegated task stands for itself: no parent waits for it, and no place is counted for it", async ({
      world,
    }) => {
      const parent = await world.running();
      await parent.delegate("editor", { parkUntil: world.now + 60_000 });
      const child = await world.run("editor");
      for (let attempt = child; ; attempt = await world.run("editor")) {
        if ((await attempt.fail("busy")).state === "failed") break;
      }
      const { task } = await world.retryDead(child.id);
      expect(task).toMatchObject({ parentId: null, rootId: task.id, retryOf: child.id, hop: 1, persona: "editor" });
      const resumed = await world.run();
      expect(await resumed.delegate("editor", { maxConcurrentPerTarget: 1 })).toMatchObject({ created: true });
      expect(await world.tenant.children(parent.id)).toHaveLength(2);
    });

    it("D8 only a dead letter can be retried", async ({ world }) => {
      const attempt = await world.running();
      await expect(world.retryDead(attempt.id)).rejects.toMatchObject({ code: "failed_precondition" });
      await attempt.complete();
      await expect(world.retryDead(attempt.id)).rejects.toMatchObject({ code: "failed_precondition" });
      await expect(world.retryDead(newId())).rejects.toMatchObject({ code: "not_found" });
      const id = await dead(world);
      await expect(
        world.ledger.forTenant("acme").retryDead({ taskId: id, newId: newId(), now: world.now }),
      ).rejects.toMatchObject({
        code: "not_found",
      });
    });

    it("D8 lists what a program said at its end, whatever characters it used", async ({ world }) => {
      const id = await dead(world, "exit \0 code");
      const { items } = await world.ledger.system.deadLetters({ limit: 10 });
      expect(items.map(({ task, reason }) => [task.id, reason])).toEqual([[id, "exit \ufffd code"]]);
      expect(textOf((await world.snapshot(id)).statusMessage as Message)).toBe("exit \0 code");
    });

    it("D8 purging takes one or all off the list, and the failed tasks stay", async ({ world }) => {
      const [one, two, three] = [await dead(world), await dead(world), await dead(world)];
      expect(await world.ledger.system.purgeDead({ taskId: two })).toEqual({ purged: 1 });
      await expect(world.ledger.system.purgeDead({ taskId: two })).rejects.toMatchObject({ code: "not_found" });
      await expect(world.retryDead(two)).rejects.toMatchObject({ code: "failed_precondition" });
      expect(await world.ledger.system.purgeDead({})).toEqual({ purged: 2 });
      expect((await world.ledger.system.deadLetters({ limit: 10 })).items).toEqual([]);
      for (const id of [one, two, three]) expect(await world.state(id)).toBe("failed");
    });
  });

/** Id of a task that has used up its attempts. */
async function dead(world: World, reason = "busy", over: Partial<Submit> = {}): Promise<string> {
  const { task } = await world.submit({ maxAttempts: 1, ...over });
  for (;;) if ((await (await world.run()).fail(reason)).state === "failed") return task.id;
}
