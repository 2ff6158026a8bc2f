import { describe, expect } from "vitest";
import { textOf } from "../message.js";
import type { Attempt } from "./attempt.contract.js";
import { texts, userSays } from "./messages.contract.js";
import { LEASE_MS, type LedgerTest, type World } from "./world.contract.js";

export const answering = (it: LedgerTest) =>
  describe("asking and answering", () => {
    it("a question stops the task, and the answer begins its next turn", async ({ world }) => {
      const attempt = await world.running();
      await attempt.ask("which one?");
      expect(await world.snapshot(attempt.id)).toMatchObject({
        state: "waiting",
        waitingFor: "input",
        askingChildId: null,
        statusMessage: { parts: [{ text: "which one?" }] },
      });
      expect(await world.claim()).toEqual([]);

      const answered = await world.answer(attempt.id, "that one");
      expect(answered).toMatchObject({
        accepted: true,
        answeredId: attempt.id,
        task: { id: attempt.id, state: "pending" },
      });
      const { snapshot } = (await world.run()).claim;
      expect(snapshot).toMatchObject({ turn: 2, attempt: 1, work: { parts: [{ text: "that one" }] } });
      expect(texts(snapshot.history)).toEqual(["write", "which one?", "that one"]);
    });

    it("only a task that asks can be answered", async ({ world }) => {
      const { task } = await world.submit();
      const refused = { code: "failed_precondition", reason: "TASK_NOT_ASKING", field: "message.taskId" };
      await expect(world.answer(task.id, "early")).rejects.toMatchObject(refused);
      const attempt = await world.run();
      await expect(world.answer(task.id, "early")).rejects.toMatchObject(refused);
      await attempt.delegate("editor", { parkUntil: world.now + 60_000 });
      await expect(world.answer(task.id, "early")).rejects.toMatchObject(refused);
      await world.cancel(task.id);
      await expect(world.answer(task.id, "late")).rejects.toMatchObject({ ...refused, reason: "TASK_ENDED" });
      await expect(world.answer(`${task.id}x`, "nobody")).rejects.toMatchObject({ code: "not_found" });
    });

    it("a refused answer may be sent again when the task asks", async ({ world }) => {
      const attempt = await world.running();
      const message = userSays("that one");
      await expect(world.answer(attempt.id, "", message)).rejects.toMatchObject({ code: "failed_precondition" });
      await attempt.ask("which one?");
      expect(await world.answer(attempt.id, "", message)).toMatchObject({ accepted: true });
    });

    it("invariant 5 the same answer again is taken once", async ({ world }) => {
      const { root, leaf } = await asking(world);
      const message = userSays("that one");
      const first = await world.answer(root.id, "", message);
      const again = await world.answer(root.id, "", message);
      expect(first).toMatchObject({ accepted: true, answeredId: leaf.id, task: { id: root.id } });
      expect(again).toMatchObject({ accepted: false, answeredId: leaf.id, task: { id: root.id } });
      expect((await world.snapshot(leaf.id)).turn).toBe(2);
    });

    it("invariant 5 an answer with the id of a message to another task is a conflict", async ({ world }) => {
      const [one, two] = [await world.running(), await world.running()];
      await one.ask("which one?");
      await two.ask("which one?");
      const message = userSays("that one");
      const answer = { message, principal: "user:ann", bodyHash: "the same", now: world.now };
      await world.tenant.answer({ ...answer, taskId: one.id });
      await expect(world.tenant.answer({ ...answer, taskId: two.id })).rejects.toMatchObject({
        code: "conflict",
        reason: "MESSAGE_ID_CONFLICT",
      });
      expect(await world.state(two.id)).toBe("waiting(input)");
    });

    for (const waitingFor of ["input", "auth"] as const) {
      it(`D18 a child that stops for ${waitingFor} moves every ancestor that awaits it to the same state`, async ({
        world,
      }) => {
        const { root, middle, leaf } = await asking(world, waitingFor);
        for (const { id } of [root, middle]) {
          const snapshot = await world.snapshot(id);
          expect(snapshot).toMatchObject({ state: "waiting", waitingFor, askingChildId: leaf.id });
          expect(textOf(snapshot.statusMessage as never)).toBe("which one?");
        }
      });
    }

    for (const addressed of ["root", "middle", "leaf"] as const) {
      it(`D18 the answer to the ${addressed} goes to the one that asked`, async ({ world }) => {
        const tasks = await asking(world);
        const { root, middle, leaf } = tasks;
        const { id } = tasks[addressed];
        const answered = await world.answer(id, "that one");
        expect(answered).toMatchObject({ answeredId: leaf.id, task: { id } });
        expect(await states(world, [root, middle, leaf])).toEqual(["waiting(reply)", "waiting(reply)", "pending"]);
        expect(texts((await world.snapshot(id)).history)).toContain("that one");
        expect((await world.snapshot(root.id)).work).toEqual(root.claim.snapshot.work);

        expect((await world.run("critic")).claim.snapshot).toMatchObject({
          turn: 2,
          work: { parts: [{ text: "that one" }] },
        });
      });
    }

    it("D18 after the answer the chain goes on to its end", async ({ world }) => {
      const { root } = await asking(world);
      await world.answer(root.id, "that one");
      for (const persona of ["critic", "editor", "writer"]) await (await world.run(persona)).complete();
      expect(await world.state(root.id)).toBe("completed");
    });

    it("D18 a child may ask again", async ({ world }) => {
      const { root, middle, leaf } = await asking(world);
      await world.answer(root.id, "that one");
      await (await world.run("critic")).ask("and then?");
      expect(await states(world, [root, middle, leaf])).toEqual(["waiting(input)", "waiting(input)", "waiting(input)"]);
      expect(textOf((await world.snapshot(root.id)).statusMessage as never)).toBe("and then?");
    });

    it("D18 a parent that does not await its child is not stopped by its question", async ({ world }) => {
      const parent = await world.running();
      const { task } = await parent.delegate("editor");
      await (await world.run("editor")).ask("which one?");
      expect(await world.state(parent.id)).toBe("processing");
      expect(await parent.await([task.id])).toMatchObject({ state: "waiting" });
      expect(await world.snapshot(parent.id)).toMatchObject({ waitingFor: "input", askingChildId: task.id });
    });

    it("D18 a parent that has stopped waiting for a child is not stopped by its question", async ({ world }) => {
      const parent = await world.running();
      await parent.delegate("editor", { parkUntil: world.now + 1000 });
      world.later(1000);
      await world.wakeDue();
      await (await world.run()).delegate("critic", { parkUntil: world.now + 60_000 });
      await (await world.run("editor")).ask("which one?");
      expect(await world.state(parent.id)).toBe("waiting(reply)");
    });

    it("D18 of two children that ask, one question after the other is relayed", async ({ world }) => {
      const { root, middle } = await twoBelow(world);
      const [one, two] = [await world.run("critic"), await world.run("poet")];
      await one.ask("first?");
      await two.ask("second?");
      expect((await world.snapshot(root.id)).askingChildId).toBe(one.id);

      expect(await world.answer(root.id, "yes")).toMatchObject({ answeredId: one.id });
      for (const { id } of [root, middle]) {
        expect(await world.snapshot(id)).toMatchObject({
          state: "waiting",
          waitingFor: "input",
          askingChildId: two.id,
        });
      }
      expect(textOf((await world.snapshot(root.id)).statusMessage as never)).toBe("second?");
      expect(await world.answer(root.id, "no")).toMatchObject({ answeredId: two.id });
      expect(await states(world, [root, middle])).toEqual(["waiting(reply)", "waiting(reply)"]);
    });

    it("D18 a question that is shown stays, whoever else begins to ask", async ({ world }) => {
      const { root } = await twoBelow(world);
      const [older, younger] = [await world.run("critic"), await world.run("poet")];
      await younger.ask("first?");
      await older.ask("second?");
      expect((await world.snapshot(root.id)).askingChildId).toBe(younger.id);
      await world.answer(root.id, "yes");
      expect((await world.snapshot(root.id)).askingChildId).toBe(older.id);
    });

    it("D18 an answer straight to the second child leaves the question of the first", async ({ world }) => {
      const { root, middle } = await twoBelow(world);
      const [one, two] = [await world.run("critic"), await world.run("poet")];
      await one.ask("first?");
      await two.ask("second?");
      await world.answer(two.id, "no");
      expect((await world.snapshot(root.id)).askingChildId).toBe(one.id);
      expect((await world.snapshot(middle.id)).askingChildId).toBe(one.id);
    });

    it("D18 when another child ends, the relaying parent wakes and nobody above asks in its name", async ({
      world,
    }) => {
      const { root, middle } = await twoBelow(world);
      const [one, two] = [await world.run("critic"), await world.run("poet")];
      await one.ask("first?");
      await two.complete();
      expect(await states(world, [root, middle, one])).toEqual(["waiting(reply)", "pending", "waiting(input)"]);

      await (await world.run("editor")).await([one.id]);
      expect(await states(world, [root, middle, one])).toEqual(["waiting(input)", "waiting(input)", "waiting(input)"]);
      expect(await world.answer(root.id, "yes")).toMatchObject({ answeredId: one.id });
    });

    it("D18 when the time of the one that relays is up, nobody above asks in its name", async ({ world }) => {
      const root = await world.running();
      await root.delegate("editor", { parkUntil: world.now + 60_000 });
      const middle = await world.run("editor");
      await middle.delegate("critic", { parkUntil: world.now + 1000 });
      await (await world.run("critic")).ask("which one?");
      world.later(1000);
      await world.wakeDue();
      expect(await states(world, [root, middle])).toEqual(["waiting(reply)", "pending"]);
      await (await world.run("editor")).complete();
      expect(await world.state(root.id)).toBe("pending");
    });

    it("D18 a question reaches everyone who awaits the one that asks", async ({ world }) => {
      const parent = await world.running();
      const { task } = await parent.delegate("editor", { parkUntil: world.now + 60_000 });
      const other = await world.running();
      await other.await([task.id]);
      await (await world.run("editor")).ask("which one?");
      expect(await states(world, [parent, other])).toEqual(["waiting(input)", "waiting(input)"]);
      expect(await world.answer(other.id, "that one")).toMatchObject({ answeredId: task.id });
      expect(await states(world, [parent, other])).toEqual(["waiting(reply)", "waiting(reply)"]);
    });

    it("D18 a crash in between changes nothing of what is asked", async ({ world }) => {
      const { root, middle, leaf } = await asking(world);
      world.later(LEASE_MS + 1);
      expect(await world.recover({ alone: true })).toEqual({ requeued: 0, failed: 0 });
      expect(await states(world, [root, middle, leaf])).toEqual(["waiting(input)", "waiting(input)", "waiting(input)"]);
      expect(await world.answer(middle.id, "that one")).toMatchObject({ answeredId: leaf.id });
    });
  });

/** writer → editor → critic, who asks. */
async function asking(world: World, waitingFor: "input" | "auth" = "input") {
  const root = await world.running();
  await root.delegate("editor", { parkUntil: world.now + 60_000 });
  const middle = await world.run("editor");
  await middle.delegate("critic", { parkUntil: world.now + 60_000 });
  const leaf = await world.run("critic");
  await leaf.ask("which one?", waitingFor);
  return { root, middle, leaf };
}

/** writer → editor, who awaits a critic and a poet. */
async function twoBelow(world: World) {
  const root = await world.running();
  await root.delegate("editor", { parkUntil: world.now + 60_000 });
  const middle = await world.run("editor");
  const one = await middle.delegate("critic");
  world.later(1);
  const two = await middle.delegate("poet");
  await middle.await([one.task.id, two.task.id]);
  return { root, middle };
}

const states = (world: World, tasks: readonly Attempt[]) => Promise.all(tasks.map(({ id }) => world.state(id)));
