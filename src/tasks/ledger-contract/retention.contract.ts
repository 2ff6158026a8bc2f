import { describe, expect } from "vitest";
import type { TaskKey } from "../ledger.js";
import { textOf } from "../message.js";
import type { MessageKey, OldTask, Walked } from "../retention-ledger.js";
import { type Attempt, piece, step } from "./attempt.contract.js";
import { checkInvariants } from "./invariants.contract.js";
import { userSays } from "./messages.contract.js";
import { type LedgerTest, TENANT, type World } from "./world.contract.js";

const DAY = 86_400_000;

export const retention = (it: LedgerTest) =>
  describe("retention", () => {
    it("X7 purges a task that has ended, with all that belongs to it, and announces that it is gone", async ({
      world,
    }) => {
      const other = await ended(world);
      const attempt = await ended(world);
      await checkInvariants(world);

      expect(await purge(world, attempt.id)).toEqual({ type: "purged", tasks: 1 });
      expect(await world.tenant.task(attempt.id)).toBeNull();
      expect(await world.tenant.snapshot(attempt.id)).toBeNull();
      expect(await world.tenant.events(attempt.id, 0)).toEqual([]);
      expect(await world.ledger.system.tenantOf(attempt.id)).toBeNull();
      expect(await journals(world)).toEqual([other.id]);
      expect(world.changes.at(-1)).toMatchObject({ taskId: attempt.id, state: "completed", runnable: false });
      expect(world.changes.at(-1)).not.toHaveProperty("events");
      expect((await world.snapshot(other.id)).artifacts.map(textOf)).toEqual(["one two"]);
      expect(await purge(world, attempt.id)).toEqual({ type: "absent" });
    });

    it("X7 purges a tree as a whole, and from its root only", async ({ world }) => {
      const root = await world.running();
      await root.delegate("editor");
      const child = await world.run("editor");
      await child.delegate("critic");
      const grandchild = await world.run("critic");
      for (const attempt of [root, child, grandchild]) await attempt.complete();

      expect(await purge(world, child.id)).toEqual({ type: "absent" });
      expect(await purge(world, root.id)).toEqual({ type: "purged", tasks: 3 });
      expect((await world.ledger.system.list({ limit: 10 })).items).toEqual([]);
      expect(await world.tenant.children(root.id)).toEqual([]);
    });

    it("X7 never purges what lives: not the task, not the tree that one of its tasks still works in", async ({
      world,
    }) => {
      const root = await world.running();
      expect(await purge(world, root.id)).toEqual({
        type: "kept",
        taskId: root.id,
        why: "unfinished",
        state: "processing",
      });
      await root.delegate("editor");
      await root.complete();
      const child = await world.run("editor");
      await child.ask("which?");
      expect(await purge(world, root.id)).toMatchObject({ type: "kept", taskId: child.id, state: "waiting" });
      await world.cancel(child.id);
      expect(await purge(world, root.id)).toEqual({ type: "purged", tasks: 2 });
    });

    it("X7 keeps a tree until its last end is old enough", async ({ world }) => {
      const root = await world.running();
      await root.delegate("editor");
      await root.complete();
      world.later(DAY);
      const child = await world.run("editor");
      await child.complete();
      expect(await purge(world, root.id, world.now - 1)).toMatchObject({
        type: "kept",
        taskId: child.id,
        why: "young",
      });
      expect(await purge(world, root.id, world.now)).toMatchObject({ type: "purged" });
    });

    it("X7 keeps a dead letter until the operator has decided: retried, or taken off the list", async ({ world }) => {
      const [retried, dropped] = [await dead(world), await dead(world)];
      for (const { id } of [retried, dropped]) {
        expect(await purge(world, id)).toEqual({ type: "kept", taskId: id, why: "dead", state: "failed" });
      }
      const again = (await world.retryDead(retried.id)).task.id;
      await world.ledger.system.purgeDead({ taskId: dropped.id });
      for (const { id } of [retried, dropped]) expect(await purge(world, id)).toMatchObject({ type: "purged" });

      expect((await world.ledger.system.deadLetters({ limit: 10 })).items).toEqual([]);
      expect(await world.tenant.task(again)).toMatchObject({ retryOf: retried.id });
      await (await world.run()).complete();
      expect(await purge(world, again)).toMatchObject({ type: "purged" });
    });

    it("X7 goes on in a large tree until it is gone, and until then the tree can be read", async ({ world }) => {
      const root = await world.running();
      for (let count = 0; count < 3; count++) {
        await root.append(Array.from({ length: 500 }, () => piece("x")));
      }
      await root.complete();
      await checkInvariants(world);
      const before = await world.snapshot(root.id);
      expect(await purge(world, root.id)).toEqual({ type: "more" });
      expect(await world.snapshot(root.id)).toEqual(before);
      expect(await purge(world, root.id)).toEqual({ type: "purged", tasks: 1 });
    });

    it("E11 a message whose task was purged is not done again, and says so, until it is forgotten itself", async ({
      world,
    }) => {
      const message = userSays("once");
      const attempt = await world.running({ message });
      await attempt.complete();
      world.later(30 * DAY);
      await purge(world, attempt.id);

      const again = () => world.submit({ message });
      await expect(again()).rejects.toMatchObject({ code: "not_found", reason: "TASK_PURGED" });
      const other = { ...message, parts: [{ text: "twice" }] };
      await expect(world.submit({ message: other })).rejects.toMatchObject({ code: "conflict" });
      // It outlives the purge, however long the task had been there.
      expect(await forget(world, world.now - 1)).toBe(0);
      await expect(again()).rejects.toMatchObject({ reason: "TASK_PURGED" });
      world.later(DAY);
      expect(await forget(world, world.now - DAY)).toBe(1);
      expect(await again()).toMatchObject({ created: true });
    });

    it("E11 does not forget a message whose task is there, however old", async ({ world }) => {
      const message = userSays("once");
      const { task } = await world.submit({ message });
      await world.submit({ message: userSays("other"), persona: "editor" }, "acme");
      world.later(1000 * DAY);
      expect(await forget(world, world.now)).toBe(0);
      expect(await world.submit({ message })).toMatchObject({ created: false, task: { id: task.id } });
    });

    it("X7 forgets the answers that a purged task was given, too", async ({ world }) => {
      const attempt = await world.running();
      await attempt.ask("which?");
      await world.answer(attempt.id, "that one");
      await (await world.run()).complete();
      await purge(world, attempt.id);
      expect(await forget(world, world.now)).toBe(2);
      expect(await forget(world, world.now)).toBe(0);
    });

    it("X7 invariant 3 a compacted task is what it was, at any event, and has its other events", async ({ world }) => {
      const attempt = await ended(world);
      await checkInvariants(world);
      const before = await world.snapshot(attempt.id);
      const events = await world.tenant.events(attempt.id, 0);

      expect(await world.ledger.system.retention.compact(key(attempt))).toEqual({ compacted: true, more: false });
      expect(await world.snapshot(attempt.id)).toEqual(before);
      expect(await world.tenant.task(attempt.id)).toMatchObject({ seq: before.seq, updatedAt: before.updatedAt });
      for (const seq of [1, 3, before.seq]) expect(await world.snapshot(attempt.id, seq)).toEqual(before);
      const words = events.filter(({ type }) => type !== "artifact");
      expect(await world.tenant.events(attempt.id, 0)).toEqual(words);
      expect(await world.tenant.events(attempt.id, before.seq - 1)).toEqual(words.slice(-1));
      expect((await oldTasks(world)).find(({ taskId }) => taskId === attempt.id)).toMatchObject({ compacted: true });
    });

    it("X7 compacts many events a few at a time", async ({ world }) => {
      const attempt = await world.running();
      for (let count = 0; count < 3; count++) await attempt.append(Array.from({ length: 500 }, () => piece("x")));
      await attempt.complete();
      await checkInvariants(world);
      const { compact } = world.ledger.system.retention;
      expect(await compact(key(attempt))).toEqual({ compacted: true, more: true });
      expect(await compact(key(attempt))).toEqual({ compacted: true, more: false });
      expect((await world.tenant.events(attempt.id, 0)).map(({ type }) => type)).toEqual([
        "message",
        "status",
        "status",
      ]);
    });

    it("X7 neither compacts what lives nor takes its journal", async ({ world }) => {
      const attempt = await world.running();
      await attempt.append([piece("one ")], [step(1, "call", world.now)]);
      const { compact, dropJournal } = world.ledger.system.retention;
      expect(await compact(key(attempt))).toEqual({ compacted: false, more: false });
      expect(await dropJournal(key(attempt))).toEqual({ dropped: false });
      await attempt.handBack();
      expect((await world.run()).claim.journal).toHaveLength(1);
      expect(await world.tenant.events(attempt.id, 0)).toHaveLength(5);
    });

    it("X7 drops the journal of a task that has ended", async ({ world }) => {
      const attempt = await ended(world);
      const before = await world.snapshot(attempt.id);
      expect(await world.ledger.system.retention.dropJournal(key(attempt))).toEqual({ dropped: true });
      expect(await world.ledger.system.retention.dropJournal(key(attempt))).toEqual({ dropped: false });
      expect(await journals(world)).toEqual([]);
      expect(await world.snapshot(attempt.id)).toEqual(before);
    });

    it("X7 walks over old tasks and journals, tenant by tenant, each once, and no further than they can be old", async ({
      world,
    }) => {
      const ids: string[] = [];
      for (const tenant of ["acme", TENANT, "zeta"]) {
        for (let count = 0; count < 3; count++) ids.push((await ended(world, tenant)).id);
      }
      const alive = await world.submit({ offer: world.offer() });
      ids.splice(6, 0, alive.task.id);
      const found = await oldTasks(world, 2);
      expect(found.map(({ taskId }) => taskId)).toEqual(ids);
      expect(found.map(({ endedAt }) => endedAt)).toEqual(ids.map((id) => (id === alive.task.id ? null : world.now)));
      expect(await journals(world, 2)).toEqual(ids.filter((id) => id !== alive.task.id));

      // The ids of this world were made by the clock of the machine.
      const none = { after: null, before: Date.now() - 60_000, limit: 10 };
      expect(await world.ledger.system.retention.oldTasks(none)).toMatchObject({ entries: [] });
      expect(await world.ledger.system.retention.oldJournals(none)).toMatchObject({ entries: [] });
    });

    it("X7 several may take the same things at once: each goes once", async ({ world }) => {
      const tasks = [await ended(world), await ended(world), await ended(world)];
      await checkInvariants(world);
      const { retention } = world.ledger.system;
      const both = tasks.flatMap((task) => [
        retention.compact(key(task)),
        purge(world, task.id),
        purge(world, task.id),
      ]);
      const purged = (await Promise.all(both)).filter((done) => "type" in done && done.type === "purged");
      expect(purged).toHaveLength(3);
    });

    it("nobody waits for what has been purged", async ({ world }) => {
      const attempt = await ended(world);
      await purge(world, attempt.id);
      const late = await world.running();
      expect(await late.await([attempt.id])).toMatchObject({ state: "pending" });
    });

    it("a conversation goes on when its earlier tasks have been purged", async ({ world }) => {
      const contextId = "context-1";
      const [first, second] = [await ended(world, TENANT, contextId), await ended(world, TENANT, contextId)];
      await purge(world, first.id);
      const { task } = await world.submit({ contextId });
      const query = { contextId, persona: "writer", principal: "user:ann", before: task.id, limit: 10 };
      expect((await world.tenant.conversation(query)).map(({ id }) => id)).toEqual([second.id]);
    });
  });

const key = ({ lease: { tenant, taskId } }: Attempt): TaskKey => ({ tenant, taskId });

/** A task that has made something, with one step in its journal. */
async function ended(world: World, tenant = TENANT, contextId?: string): Promise<Attempt> {
  const offer = world.offer();
  const { claim } = await world.submit({ offer, ...(contextId === undefined ? {} : { contextId }) }, tenant);
  const attempt = world.attempt(claim);
  await attempt.append([piece("one "), piece("two")], [step(1, "call", world.now)]);
  await attempt.complete();
  return attempt;
}

async function dead(world: World): Promise<Attempt> {
  const attempt = await world.running({ maxAttempts: 1 });
  await attempt.fail("broken");
  return attempt;
}

const purge = (world: World, rootId: string, endedBy = world.now) =>
  world.ledger.system.retention.purgeTree({ tenant: TENANT, rootId, endedBy, now: world.now });

async function forget(world: World, before: number): Promise<number> {
  let forgotten = 0;
  for (let after: MessageKey | null | undefined; after !== null; ) {
    const done = await world.ledger.system.retention.forgetMessages({ after: after ?? null, before, limit: 1 });
    forgotten += done.forgotten;
    after = done.next;
  }
  return forgotten;
}

async function walk<Entry>(read: (after: TaskKey | null) => Promise<Walked<Entry, TaskKey>>): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let after: TaskKey | null | undefined; after !== null; ) {
    const piece = await read(after ?? null);
    entries.push(...piece.entries);
    after = piece.next;
  }
  return entries;
}

const oldTasks = ({ ledger, now }: World, limit = 100): Promise<OldTask[]> =>
  walk((after) => ledger.system.retention.oldTasks({ after, before: now + 1, limit }));

const journals = async ({ ledger, now }: World, limit = 100): Promise<string[]> =>
  (await walk((after) => ledger.system.retention.oldJournals({ after, before: now + 1, limit }))).map(
    ({ taskId }) => taskId,
  );
