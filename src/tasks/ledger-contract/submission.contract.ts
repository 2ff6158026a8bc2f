import fc from "fast-check";
import { describe, expect } from "vitest";
import { newId } from "../../shared/ids.js";
import { bodyHash } from "../body-hash.js";
import { agentSays, userSays } from "./messages.contract.js";
import type { LedgerTest } from "./world.contract.js";

export const submission = (it: LedgerTest) =>
  describe("submission", () => {
    it("D7 makes the task, its first event and its place in the queue at once", async ({ world }) => {
      const message = userSays("a haiku, please");
      const { task, created } = await world.submit({ message, contextId: newId() });

      expect(created).toBe(true);
      expect(task).toMatchObject({
        state: "pending",
        seq: 1,
        attempt: 0,
        turn: 1,
        parentId: null,
        rootId: task.id,
        hop: 0,
      });
      expect(await world.tenant.events(task.id, 0)).toEqual([{ type: "message", message, seq: 1, at: world.now }]);
      expect(await world.snapshot(task.id)).toMatchObject({
        ...task,
        history: [message],
        work: message,
        started: false,
      });
      expect((await world.claim()).map(({ id }) => id)).toEqual([task.id]);
    });

    it("D13 takes over the hops that the caller's delegation has behind it elsewhere", async ({ world }) => {
      const { task } = await world.submit({ hop: 3 });
      expect(task.hop).toBe(3);
    });

    it("invariant 5 the same message again is the task that exists", async ({ world }) => {
      const message = userSays("once");
      const first = await world.submit({ message });
      const again = await world.submit({ message });
      expect(again).toEqual({ task: first.task, created: false });
      expect((await world.ledger.system.list({ limit: 10 })).items).toHaveLength(1);
    });

    it("invariant 5 the same message again is the same task also after it has ended", async ({ world }) => {
      const message = userSays("once");
      const attempt = await world.running({ message });
      await attempt.complete();
      const again = await world.submit({ message, offer: world.offer() });
      expect(again).toMatchObject({ created: false, task: { id: attempt.id, state: "completed" } });
      expect(again.claim).toBeUndefined();
    });

    it("invariant 5 another message with the same id is a conflict that changes nothing", async ({ world }) => {
      const message = userSays("this");
      const { task } = await world.submit({ message });
      const other = { ...message, parts: [{ text: "that" }] };
      await expect(world.submit({ message: other })).rejects.toMatchObject({
        code: "conflict",
        reason: "MESSAGE_ID_CONFLICT",
        field: "message.messageId",
      });
      expect((await world.ledger.system.list({ limit: 10 })).items).toEqual([task]);
    });

    it("invariant 5 an id of a message belongs to one tenant, persona and principal", async ({ world }) => {
      const message = userSays("once");
      const tasks = [
        await world.submit({ message }),
        await world.submit({ message, persona: "editor" }),
        await world.submit({ message, principal: "user:bob" }),
        await world.submit({ message }, "acme"),
      ];
      expect(tasks.map(({ created }) => created)).toEqual([true, true, true, true]);
      expect(new Set(tasks.map(({ task }) => task.id)).size).toBe(4);
    });

    it("invariant 5 however often and with whatever else a message is sent at once, it makes one task", async ({
      world,
    }) => {
      const messages = [userSays("one"), userSays("two"), userSays("three")];
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(messages.length - 1), { minLength: 2, maxLength: 30 }), async (sent) => {
          const contextId = newId();
          const principal = `user:${newId()}`;
          const submitted = await Promise.all(
            sent.map((index) => world.submit({ message: messages[index] as never, principal, contextId })),
          );
          const distinct = new Set(sent).size;
          expect(submitted.filter(({ created }) => created)).toHaveLength(distinct);
          expect(new Set(submitted.map(({ task }) => task.id)).size).toBe(distinct);
          expect((await world.tenant.list({ contextId, limit: 100 })).items).toHaveLength(distinct);
        }),
        { numRuns: 20 },
      );
    });

    it("of two messages with one id that are sent at once, one is a conflict", async ({ world }) => {
      const message = userSays("this");
      const other = { ...message, parts: [{ text: "that" }] };
      const outcomes = await Promise.allSettled([world.submit({ message }), world.submit({ message: other })]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    });

    it("gives a free slot the task in the transaction that makes it", async ({ world }) => {
      const { task, claim } = await world.submit({ offer: world.offer("worker-1") });
      expect(task).toMatchObject({ state: "claimed", attempt: 1 });
      expect(claim?.lease).toMatchObject({ tenant: task.tenant, taskId: task.id, owner: "worker-1" });
      expect(claim?.snapshot).toEqual(await world.snapshot(task.id));
      expect(claim).toMatchObject({ journal: [], maxAttempts: 3 });
      expect(await world.claim()).toEqual([]);
    });

    it("does not let a task with a free slot overtake an older one that may run", async ({ world }) => {
      const older = await world.submit();
      const newer = await world.submit({ offer: world.offer() });
      expect(newer.claim).toBeUndefined();
      expect((await world.claim()).map(({ id }) => id)).toEqual([older.task.id, newer.task.id]);
    });

    it("lets a task with a free slot pass one that waits for its next attempt", async ({ world }) => {
      const failing = await world.running();
      await failing.fail("try later", { retryAt: world.now + 1000 });
      expect((await world.submit({ offer: world.offer() })).claim).toBeDefined();
    });

    it("keeps every kind of part as it came", async ({ world }) => {
      const message = {
        ...agentSays("text, Grüße, 🙂, \u0000 and \\"),
        role: "user" as const,
        metadata: { nested: { list: [1, null, true, "x"] } },
        extensions: ["https://example.com/ext"],
        referenceTaskIds: [newId()],
      };
      message.parts.push({ data: { deep: [{ a: 1.5 }] } } as never, { url: "https://example.com/a.png" } as never);
      const { task } = await world.submit({ message, bodyHash: bodyHash(message) });
      expect((await world.snapshot(task.id)).history).toEqual([message]);
    });
  });
