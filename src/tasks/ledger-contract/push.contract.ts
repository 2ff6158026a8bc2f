import { describe, expect } from "vitest";
import { newId } from "../../shared/ids.js";
import type { NewPush, PushKey, PushLease, PushSubscription } from "../push-ledger.js";
import { type Attempt, piece } from "./attempt.contract.js";
import { userSays } from "./messages.contract.js";
import { LEASE_MS, type LedgerTest, TENANT, type World } from "./world.contract.js";

const AT_MOST = 3;
const LONGEST = 3_600_000;

export const pushing = (it: LedgerTest) =>
  describe("push subscriptions", () => {
    it("E23 come into being with their task, and are owed everything behind the message", async ({ world }) => {
      const told = listen(world);
      const { task } = await world.submit({ push: wish("mine") });
      expect(await world.tenant.push.get(task.id, "mine")).toEqual({
        ...wish("mine"),
        tenant: TENANT,
        taskId: task.id,
        principal: "user:ann",
        state: "waiting",
        createdAt: world.now,
        sentSeq: 1,
        attempts: 0,
        nextAt: world.now,
        lastError: null,
        lastStatus: null,
        lastAt: null,
      });
      expect(told).toEqual([{ tenant: TENANT, taskId: task.id, id: "mine" }]);
      expect(await live(world)).toEqual([[task.id, "mine", false]]);
      await world.run();
      expect(await live(world)).toEqual([[task.id, "mine", true]]);
    });

    it("E11 a message that is repeated makes no second one, and one that makes no task leaves none", async ({
      world,
    }) => {
      const told = listen(world);
      const message = userSays("once");
      const { task } = await world.submit({ message, push: wish("first") });
      expect(await world.submit({ message, push: wish("second") })).toMatchObject({ created: false });
      expect(await ids(world, task.id)).toEqual(["first"]);
      const bounds = { perPersona: 1, perTenant: 1 };
      await expect(world.submit({ id: newId(), push: wish("none"), bounds })).rejects.toMatchObject({
        code: "limit_reached",
      });
      expect(await live(world)).toHaveLength(1);
      expect(told).toHaveLength(1);
    });

    it("E23 of a task that is done in the transaction that makes it are owed all of it", async ({ world }) => {
      const foreseen = { facts: [], outcome: { type: "completed" as const }, artifacts: [] };
      const { task } = await world.submit({ push: wish("mine"), offer: world.offer(), foreseen });
      expect(task.state).toBe("completed");
      expect(await live(world)).toEqual([[task.id, "mine", true]]);
    });

    it("E23 come with an answer, which they are not owed, and not with one that was taken before", async ({
      world,
    }) => {
      const attempt = await world.running();
      await attempt.ask("which?");
      const message = userSays("the blue one");
      const answer = (push: NewPush) => {
        const body = { taskId: attempt.id, message, principal: "user:ann", bodyHash: "same", now: world.now };
        return world.tenant.answer({ ...body, push: { push, atMost: AT_MOST } });
      };
      const { seq } = await world.snapshot(attempt.id);
      await answer(wish("mine"));
      await answer(wish("other"));
      expect(await ids(world, attempt.id)).toEqual(["mine"]);
      expect(await world.tenant.push.get(attempt.id, "mine")).toMatchObject({ sentSeq: seq });
    });

    it("E23 are owed what happens from when they were set on", async ({ world }) => {
      const attempt = await world.running();
      const made = await set(world, attempt.id, "mine");
      expect(made).toMatchObject({ sentSeq: (await world.snapshot(attempt.id)).seq, state: "waiting" });
      expect(await live(world)).toEqual([[attempt.id, "mine", false]]);
    });

    it("E23 on a task that has ended are owed its end", async ({ world }) => {
      const attempt = await ended(world);
      const made = await set(world, attempt.id, "late");
      const lease = await claim(world, made);
      const seq = made.sentSeq + 1;
      expect(await world.tenant.events(attempt.id, made.sentSeq)).toMatchObject([{ state: "completed", seq }]);
      expect(await deliver(world, lease, seq)).toBe("done");
      expect(await world.tenant.push.get(attempt.id, "late")).toMatchObject({ state: "done", sentSeq: seq });
      expect(await live(world)).toEqual([]);
      // Set anew it is owed the end once more, at the other place.
      expect(await set(world, attempt.id, "late")).toMatchObject({ state: "waiting", sentSeq: seq - 1 });
    });

    it("E23 set under the same id are replaced, go on where they were, and are enabled again", async ({ world }) => {
      const attempt = await world.running();
      const made = await set(world, attempt.id, "mine");
      await attempt.append([piece("more")]);
      const lease = await claim(world, made);
      await fail(world, lease, { disable: true });
      expect(await world.tenant.push.get(attempt.id, "mine")).toMatchObject({ state: "disabled", attempts: 1 });
      world.later(5);
      const other = { ...wish("mine"), version: "0.3" as const, origin: "https://other.example", sealed: "s1.k.other" };
      await world.tenant.push.set({ taskId: attempt.id, push: other, atMost: AT_MOST, now: world.now });
      expect(await world.tenant.push.list(attempt.id)).toMatchObject([
        { ...other, sentSeq: made.sentSeq, attempts: 0, state: "waiting", lastError: null, createdAt: made.createdAt },
      ]);
    });

    it("E23 replaced or removed while somebody is told take nothing more from that sender", async ({ world }) => {
      const attempt = await world.running();
      for (const end of [
        () => set(world, attempt.id, "mine"),
        () => world.tenant.push.remove({ taskId: attempt.id, id: "mine" }),
      ]) {
        const lease = await claim(world, await set(world, attempt.id, "mine"));
        await end();
        expect(await deliver(world, lease, lease.seq)).toBe("lost");
        expect(await fail(world, lease)).toBe(false);
      }
      expect(await ids(world, attempt.id)).toEqual([]);
      expect(await world.tenant.push.remove({ taskId: attempt.id, id: "mine" })).toBe(false);
    });

    it("E23 a task has only so many", async ({ world }) => {
      const attempt = await world.running();
      for (const id of ["a", "b", "c"]) await set(world, attempt.id, id);
      await expect(set(world, attempt.id, "d")).rejects.toMatchObject({
        code: "limit_reached",
        reason: "TOO_MANY_PUSH_CONFIGS",
      });
      await set(world, attempt.id, "b");
      expect(await ids(world, attempt.id)).toEqual(["a", "b", "c"]);
    });

    it("E23 are found by nobody in another tenant, and not on a task that is not there", async ({ world }) => {
      const attempt = await world.running();
      await set(world, attempt.id, "mine");
      const other = world.ledger.forTenant("acme").push;
      expect(await other.get(attempt.id, "mine")).toBeNull();
      expect(await other.list(attempt.id)).toEqual([]);
      expect(await other.remove({ taskId: attempt.id, id: "mine" })).toBe(false);
      const command = { taskId: attempt.id, push: wish("theirs"), atMost: AT_MOST, now: world.now };
      await expect(other.set(command)).rejects.toMatchObject({ code: "not_found" });
      await expect(set(world, newId(), "mine")).rejects.toMatchObject({ code: "not_found" });
      expect(await ids(world, attempt.id)).toEqual(["mine"]);
    });

    it("E23 belong to one sender at a time, until it gives them back or its lease is over", async ({ world }) => {
      const attempt = await world.running();
      const made = await set(world, attempt.id, "mine");
      const first = await claim(world, made, "sender-1");
      expect(await tryClaim(world, made, "sender-2")).toBeNull();
      expect((await world.ledger.system.push.live({ after: null, limit: 10 })).entries).toMatchObject([
        { id: "mine", leasedUntil: world.now + LEASE_MS },
      ]);
      await world.ledger.system.push.release(first);
      const second = await claim(world, made, "sender-2");
      expect(await deliver(world, first, first.seq)).toBe("lost");
      world.later(LEASE_MS);
      const third = await claim(world, made, "sender-1");
      expect(await deliver(world, second, second.seq)).toBe("lost");
      await attempt.append([piece("more")]);
      expect(await deliver(world, third, third.seq, { release: false })).toBe("held");
      expect(await tryClaim(world, { ...made, sentSeq: third.seq }, "sender-2")).toBeNull();
      expect(await deliver(world, third, third.seq + 1)).toBe("held");
    });

    it("E23 that somebody else has told meanwhile are not claimed by whoever did not see it", async ({ world }) => {
      const attempt = await world.running();
      const made = await set(world, attempt.id, "mine");
      await attempt.append([piece("more")]);
      await deliver(world, await claim(world, made, "sender-1"), made.sentSeq + 1);
      expect(await tryClaim(world, made, "sender-2")).toBeNull();
    });

    it("E23 that failed are not due before their time, and say why they failed", async ({ world }) => {
      const attempt = await world.running();
      const made = await set(world, attempt.id, "mine");
      await attempt.append([piece("more")]);
      expect(await fail(world, await claim(world, made), { retryAt: world.now + 1000, status: 503 })).toBe(true);
      const stored = { attempts: 1, lastError: "it said 503", lastStatus: 503, lastAt: world.now };
      expect(await world.tenant.push.get(attempt.id, "mine")).toMatchObject(stored);
      world.later(999);
      expect(await tryClaim(world, made)).toBeNull();
      world.later(1);
      const lease = await claim(world, made);
      expect(await deliver(world, lease, made.sentSeq + 1)).toBe("held");
      expect(await world.tenant.push.get(attempt.id, "mine")).toMatchObject({
        ...{ attempts: 0, lastError: null, lastStatus: 200, lastAt: world.now, sentSeq: made.sentSeq + 1 },
      });
    });

    it("X14 a clock that was set back keeps none of them waiting", async ({ world }) => {
      const attempt = await world.running();
      const made = await set(world, attempt.id, "mine");
      await fail(world, await claim(world, made), { retryAt: world.now + LONGEST });
      expect(await tryClaim(world, made)).toBeNull();
      world.later(-1);
      await claim(world, made);
    });

    it("E23 that have nothing to tell move on without an attempt", async ({ world }) => {
      const attempt = await world.running();
      const made = await set(world, attempt.id, "mine");
      await attempt.fail("again", { retryAt: world.now });
      const seq = made.sentSeq + 1;
      await deliver(world, await claim(world, made), seq, { status: null });
      expect(await world.tenant.push.get(attempt.id, "mine")).toMatchObject({ sentSeq: seq, lastAt: null });
    });

    it("E23 are done when the end of their task has been told, and not before", async ({ world }) => {
      const attempt = await world.running();
      const made = await set(world, attempt.id, "mine");
      const lease = await claim(world, made);
      await attempt.complete();
      const { seq } = await world.snapshot(attempt.id);
      expect(await deliver(world, lease, seq - 1, { release: false })).toBe("held");
      expect(await deliver(world, lease, seq)).toBe("done");
      expect(await world.tenant.push.get(attempt.id, "mine")).toMatchObject({ state: "done" });
      expect(await tryClaim(world, { ...made, sentSeq: seq })).toBeNull();
    });

    it("E23 the operator enables what was disabled, and disables what fails; what is done stays so", async ({
      world,
    }) => {
      const queue = world.ledger.system.push;
      const told = listen(world);
      const attempt = await world.running();
      const made = await set(world, attempt.id, "mine");
      const other = await set(world, attempt.id, "other");
      const key = { tenant: TENANT, taskId: attempt.id };
      const lease = await claim(world, made);
      const disabled = await queue.disable({ ...key, id: "mine", now: world.now, reason: "by hand" });
      expect(disabled).toMatchObject([{ id: "mine", state: "disabled", lastError: "by hand" }]);
      expect(await deliver(world, lease, made.sentSeq)).toBe("lost");
      expect(await live(world)).toEqual([[attempt.id, "other", false]]);
      await fail(world, await claim(world, other), { retryAt: world.now + 1000 });

      told.length = 0;
      expect((await queue.retry({ ...key, now: world.now })).map(({ id }) => id).sort()).toEqual(["mine", "other"]);
      expect(told.map(({ id }) => id).sort()).toEqual(["mine", "other"]);
      await claim(world, other);
      await attempt.complete();
      const { seq } = await world.snapshot(attempt.id);
      expect(await deliver(world, await claim(world, made), seq)).toBe("done");
      expect(await queue.retry({ ...key, id: "mine", now: world.now })).toEqual([]);
      expect(await queue.disable({ ...key, id: "mine", now: world.now, reason: "no" })).toEqual([]);
      expect(await queue.retry({ ...key, id: "none", now: world.now })).toEqual([]);
    });

    it("E23 are listed page by page, newest tasks first, by state, of one tenant or all", async ({ world }) => {
      const queue = world.ledger.system.push;
      const made: string[] = [];
      for (const tenant of [TENANT, "acme", TENANT]) {
        const { task } = await world.submit({}, tenant);
        for (const id of ["a", "b"]) {
          const command = { taskId: task.id, push: wish(id), atMost: AT_MOST, now: world.now };
          await world.ledger.forTenant(tenant).push.set(command);
          made.unshift(`${task.id}/${id}`);
        }
      }
      const walked: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await queue.list({ limit: 4, ...(cursor === undefined ? {} : { cursor }) });
        walked.push(...page.items.map(({ taskId, id }) => `${taskId}/${id}`));
        if (page.nextCursor === null) break;
        cursor = page.nextCursor;
      }
      expect(walked).toEqual(made);
      expect((await queue.list({ tenant: "acme", limit: 10 })).items).toHaveLength(2);

      const [taskId = "", id = ""] = (made[0] as string).split("/");
      await queue.disable({ tenant: TENANT, taskId, id, now: world.now, reason: "by hand" });
      const count = async (query: object) => (await queue.list({ ...query, limit: 10 })).items.length;
      expect(await count({ state: "disabled" })).toBe(1);
      expect(await count({ failing: true })).toBe(1);
      expect(await count({ state: "waiting" })).toBe(5);
      expect(await count({ state: "done" })).toBe(0);
      await expect(queue.list({ limit: 1, cursor: "bm9uZQ" })).rejects.toMatchObject({ field: "cursor" });
    });

    it("E23 that wait are walked in pages, tenant by tenant", async ({ world }) => {
      const all: string[] = [];
      for (const tenant of ["acme", TENANT]) {
        for (let n = 0; n < 3; n++) all.push((await world.submit({ push: wish("x") }, tenant)).task.id);
      }
      const seen: string[] = [];
      for (let after: PushKey | null = null; ; ) {
        const from: PushKey | null = after;
        const { entries, next } = await world.ledger.system.push.live({ after: from, limit: 2 });
        seen.push(...entries.map(({ taskId }) => taskId));
        if (next === null) break;
        after = next;
      }
      expect(seen).toEqual(all);
    });

    it("X7 go with their task when it is purged, also that of a child", async ({ world }) => {
      const root = await world.running({ push: wish("root") });
      await root.delegate("editor");
      const child = await world.run("editor");
      await set(world, child.id, "child");
      await child.complete();
      await root.complete();
      const { purgeTree } = world.ledger.system.retention;
      await purgeTree({ tenant: TENANT, rootId: root.id, endedBy: world.now, now: world.now });
      expect(await ids(world, root.id)).toEqual([]);
      expect(await ids(world, child.id)).toEqual([]);
      expect((await world.ledger.system.push.list({ limit: 10 })).items).toEqual([]);
    });
  });

const wish = (id: string): NewPush => ({ id, version: "1.0", origin: "https://hooks.example", sealed: "s1.k.AAAA" });

const set = (world: World, taskId: string, id: string): Promise<PushSubscription> =>
  world.tenant.push.set({ taskId, push: wish(id), atMost: AT_MOST, now: world.now });

const ids = async (world: World, taskId: string): Promise<string[]> =>
  (await world.tenant.push.list(taskId)).map(({ id }) => id);

const live = async (world: World) =>
  (await world.ledger.system.push.live({ after: null, limit: 100 })).entries.map(({ taskId, id, behind }) => [
    taskId,
    id,
    behind,
  ]);

function listen(world: World): PushKey[] {
  const told: PushKey[] = [];
  world.ledger.onPush((push) => told.push(push));
  return told;
}

type At = PushKey & { sentSeq: number };

const tryClaim = (world: World, { tenant, taskId, id, sentSeq }: At, owner = "sender-1") =>
  world.ledger.system.push.claim({
    ...{ tenant, taskId, id, sentSeq, owner, leaseMs: LEASE_MS, now: world.now, longestBackoffMs: LONGEST },
  });

async function claim(world: World, at: At, owner = "sender-1"): Promise<PushLease & { seq: number }> {
  const lease = await tryClaim(world, at, owner);
  if (lease === null) throw new Error("it should be claimable");
  return { ...lease, seq: at.sentSeq };
}

const deliver = (
  world: World,
  lease: PushLease,
  seq: number,
  { status = 200, release = true }: { status?: number | null; release?: boolean } = {},
) => world.ledger.system.push.delivered({ lease, seq, status, release, leaseMs: LEASE_MS, now: world.now });

const fail = (
  world: World,
  lease: PushLease,
  {
    retryAt = world.now,
    disable = false,
    status = null,
  }: { retryAt?: number; disable?: boolean; status?: number | null } = {},
) => world.ledger.system.push.failed({ lease, error: "it said 503", status, retryAt, disable, now: world.now });

async function ended(world: World): Promise<Attempt> {
  const attempt = await world.running();
  await attempt.complete();
  return attempt;
}
