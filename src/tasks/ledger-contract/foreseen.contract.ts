import { describe, expect } from "vitest";
import { newId } from "../../shared/ids.js";
import type { Foreseen } from "../ledger.js";
import { piece } from "./attempt.contract.js";
import { agentSays, userSays } from "./messages.contract.js";
import type { LedgerTest, World } from "./world.contract.js";

const saying = (text: string): Foreseen => ({
  facts: [piece(text, false)],
  artifacts: [{ artifactId: "result", parts: [{ text }] }],
  outcome: { type: "completed" },
});

/** Events as readers see them, but for the ids of messages. */
const story = async (world: World, id: string) =>
  (await world.tenant.events(id, 0)).map((event) =>
    event.type === "message" ? { ...event, message: { ...event.message, messageId: "" } } : event,
  );

export const foreseen = (it: LedgerTest) =>
  describe("what is foreseen", () => {
    it("is recorded with the submission, as if it had run", async ({ world }) => {
      const ran = await world.running({ message: userSays("write") });
      await ran.settle({ type: "completed" }, { facts: [piece("done", false)] });
      const done = await world.submit({ offer: world.offer(), foreseen: saying("done") });
      expect(done).toMatchObject({ created: true, ended: { state: "completed", attempt: 1 } });
      expect(done.claim).toBeUndefined();
      expect(await story(world, done.task.id)).toEqual(await story(world, ran.id));
      expect(done.ended).toEqual(await world.snapshot(done.task.id));
      expect(done.ended?.artifacts).toEqual([{ artifactId: "result", parts: [{ text: "done" }] }]);
      expect(await world.claim()).toEqual([]);
    });

    it("invariant 6 may be that it fails or is rejected, and that is how it has ended", async ({ world }) => {
      for (const type of ["failed", "rejected"] as const) {
        const foreseen = { ...saying("half"), outcome: { type, message: agentSays("no") } };
        const { task } = await world.submit({ offer: world.offer(), foreseen });
        expect(await world.snapshot(task.id)).toMatchObject({
          state: type,
          statusMessage: { parts: [{ text: "no" }] },
          artifacts: [{ parts: [{ text: "half" }] }],
        });
        await expect(world.cancel(task.id)).rejects.toMatchObject({ reason: "TASK_NOT_CANCELABLE" });
      }
      expect((await world.ledger.system.deadLetters({ limit: 10 })).items).toEqual([]);
    });

    it("invariant 5 the same message again gives the task that was done", async ({ world }) => {
      const message = userSays("once");
      const first = await world.submit({ message, offer: world.offer(), foreseen: saying("one") });
      const again = await world.submit({ message, offer: world.offer(), foreseen: saying("two") });
      expect(again).toMatchObject({ created: false, task: { id: first.task.id } });
      expect(again.ended).toBeUndefined();
    });

    it("never overtakes: behind its lane, or behind older work, the task waits and runs", async ({ world }) => {
      const contextId = newId();
      await world.running({ contextId });
      const behind = await world.submit({ contextId, offer: world.offer(), foreseen: saying("early") });
      expect(behind).toMatchObject({ task: { state: "pending" } });
      await world.submit();
      world.later(1);
      const younger = await world.submit({ offer: world.offer(), foreseen: saying("early") });
      expect(younger).toMatchObject({ task: { state: "pending" } });
      expect(younger.ended).toBeUndefined();
    });

    it("D3 a parent that awaits such a child goes on without being parked", async ({ world }) => {
      const parent = await world.running();
      const { ended, parked, task } = await parent.delegate("editor", {
        parkUntil: world.now + 1000,
        offer: world.offer(),
        foreseen: saying("edited"),
      });
      expect(parked).toBeUndefined();
      expect(ended).toMatchObject({ id: task.id, state: "completed", parentId: parent.id, hop: 1 });
      expect(await world.state(parent.id)).toBe("processing");
      expect(await parent.complete()).toMatchObject({ state: "completed" });
    });

    it("D12 counts like any other delegation when its target is busy", async ({ world }) => {
      const parent = await world.running();
      await parent.delegate("editor");
      const over = { maxConcurrentPerTarget: 1, offer: world.offer(), foreseen: saying("edited") };
      await expect(parent.delegate("editor", over)).rejects.toMatchObject({ reason: "maxConcurrentPerTarget" });
    });

    it("invariant 4 a parent that has lost its lease makes no such child", async ({ world }) => {
      const parent = await world.running();
      await world.cancel(parent.id);
      const over = { step: "s", offer: world.offer(), foreseen: saying("edited") };
      await expect(parent.delegate("editor", over)).rejects.toMatchObject({ code: "lease_lost" });
      expect(await world.tenant.task(parent.childId("s"))).toBeNull();
    });
  });
