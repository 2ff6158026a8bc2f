import { describe, expect } from "vitest";
import { newId } from "../../shared/ids.js";
import { applyEvent, type Folded } from "../fold.js";
import type { TaskQuery } from "../ledger.js";
import { textOf } from "../message.js";
import { piece } from "./attempt.contract.js";
import { agentSays, texts, userSays } from "./messages.contract.js";
import { LEASE_MS, type LedgerTest } from "./world.contract.js";

export const reading = (it: LedgerTest) =>
  describe("reading", () => {
    it("invariant 3 shows a task as it stands, and as it stood at any event", async ({ world }) => {
      const attempt = await world.running();
      await attempt.append([piece("one "), { type: "status", state: "processing", message: agentSays("well") }]);
      await attempt.ask("go on?");
      await world.answer(attempt.id, "yes");
      await (await world.run()).settle({ type: "completed" }, { facts: [piece("two", false)] });

      const then: string[] = [];
      for (let seq = 0; seq <= 10; seq++) {
        const { state, history, artifacts } = await world.snapshot(attempt.id, seq);
        then.push([state, ...texts(history), ...artifacts.map(textOf)].join(" · "));
      }
      expect(then).toEqual([
        "pending",
        "pending · write",
        "processing · write",
        "processing · write · one ",
        "processing · write · one ",
        "waiting · write · well · one ",
        "waiting · write · well · go on? · yes · one ",
        "pending · write · well · go on? · yes · one ",
        "processing · write · well · go on? · yes · one ",
        "processing · write · well · go on? · yes · two",
        "completed · write · well · go on? · yes · two",
      ]);
      expect(await world.snapshot(attempt.id)).toEqual(await world.snapshot(attempt.id, 10));
    });

    it("invariant 3 whoever takes a task as it stood at an event, and then what follows, has seen everything once", async ({
      world,
    }) => {
      const attempt = await world.running();
      await attempt.append([piece("one "), piece("two "), { type: "status", state: "processing" }]);
      await attempt.settle({ type: "completed" }, { facts: [piece("three")] });
      const now = await world.snapshot(attempt.id);
      for (let seq = 0; seq <= now.seq; seq++) {
        const folded: Folded = await world.snapshot(attempt.id, seq);
        const events = await world.tenant.events(attempt.id, seq);
        expect(events.map((event) => event.seq)).toEqual(Array.from({ length: now.seq - seq }, (_, n) => seq + 1 + n));
        for (const event of events) applyEvent(folded, event);
        expect(folded, `from event ${seq}`).toEqual(now);
      }
    });

    it("events come in order, at most as many as were asked for", async ({ world }) => {
      const attempt = await world.running();
      await attempt.append(Array.from({ length: 1100 }, (_, n) => piece(`${n} `)));
      const seqs = async (after: number, limit?: number) =>
        (await world.tenant.events(attempt.id, after, limit)).map(({ seq }) => seq);
      expect(await seqs(1, 3)).toEqual([2, 3, 4]);
      expect(await seqs(0)).toHaveLength(1000);
      expect(await seqs(1000)).toHaveLength(102);
      expect(await seqs(1102)).toEqual([]);
    });

    it("behind the last number that any event can have there is nothing", async ({ world }) => {
      const { task } = await world.submit();
      for (const number of [2 ** 31, Number.MAX_SAFE_INTEGER]) {
        expect(await world.tenant.events(task.id, number)).toEqual([]);
        expect(await world.snapshot(task.id, number)).toMatchObject({ seq: 1 });
      }
    });

    it("what is not there is null, and has no events and no children", async ({ world }) => {
      const id = newId();
      expect(await world.tenant.task(id)).toBeNull();
      expect(await world.tenant.snapshot(id)).toBeNull();
      expect(await world.tenant.snapshot(id, 1)).toBeNull();
      expect(await world.tenant.events(id, 0)).toEqual([]);
      expect(await world.tenant.children(id)).toEqual([]);
      expect(await world.ledger.system.queueFacts("default", id)).toBeNull();
      expect(await world.ledger.system.tenantOf(id)).toBeNull();
    });

    it("invariant 7 a tenant sees nothing of another, by whatever it asks", async ({ world }) => {
      const attempt = await world.running();
      const { task: child } = await attempt.delegate("editor");
      await attempt.ask("which?");
      const acme = world.ledger.forTenant("acme");
      const { id, contextId, persona, principal } = attempt.claim.snapshot;

      expect(await acme.task(id)).toBeNull();
      expect(await acme.snapshot(id)).toBeNull();
      expect(await acme.events(id, 0)).toEqual([]);
      expect(await acme.children(id)).toEqual([]);
      expect((await acme.list({ contextId, limit: 10 })).items).toEqual([]);
      expect(await acme.conversation({ contextId, persona, principal, before: newId(), limit: 10 })).toEqual([]);
      const message = userSays("mine now");
      await expect(acme.answer({ taskId: id, message, principal, bodyHash: "", now: world.now })).rejects.toMatchObject(
        {
          code: "not_found",
        },
      );
      await expect(acme.cancel({ taskId: child.id, reason: "", now: world.now })).rejects.toMatchObject({
        code: "not_found",
      });
      expect(await world.state(id)).toBe("waiting(input)");
    });

    it("invariant 7 the same id may be a task of two tenants", async ({ world }) => {
      const id = newId();
      await world.submit({ id, message: userSays("ours") });
      await world.submit({ id, message: userSays("theirs") }, "acme");
      await (await world.claim({ tenant: "acme" }))[0]?.complete();
      expect(await world.snapshot(id)).toMatchObject({ state: "pending", history: [{ parts: [{ text: "ours" }] }] });
    });

    it("the operator sees all tenants, newest first, and whose a task is", async ({ world }) => {
      const ids = [await world.submit(), await world.submit({}, "acme"), await world.submit({}, "zeta")].map(
        ({ task }) => task.id,
      );
      expect((await world.ledger.system.list({ limit: 10 })).items.map(({ id }) => id)).toEqual([...ids].reverse());
      expect((await world.ledger.system.list({ limit: 10, tenant: "acme" })).items.map(({ id }) => id)).toEqual([
        ids[1],
      ]);
      expect(await world.ledger.system.tenantOf(ids[2] as string)).toBe("zeta");
    });

    it("lists by state, persona, principal and context", async ({ world }) => {
      const contextId = newId();
      const edited = await world.running({ persona: "editor" });
      const done = await world.running();
      await done.complete();
      const mine = await world.submit({ contextId, principal: "user:bob" });
      const ids = async (query: Omit<TaskQuery, "limit">) =>
        (await world.tenant.list({ ...query, limit: 10 })).items.map(({ id }) => id);
      expect(await ids({ contextId })).toEqual([mine.task.id]);
      expect(await ids({ principal: "user:bob" })).toEqual([mine.task.id]);
      expect(await ids({ persona: "editor" })).toEqual([edited.id]);
      expect(await ids({ state: "completed" })).toEqual([done.id]);
      expect(await ids({ state: "completed", persona: "editor" })).toEqual([]);
      expect(await ids({ contextId, state: "completed" })).toEqual([]);
    });

    it("a walk over a list shows every task that it began with exactly once, whatever happens meanwhile", async ({
      world,
    }) => {
      const ids: string[] = [];
      for (let count = 0; count < 7; count++) ids.push((await world.submit()).task.id);
      const seen: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await world.tenant.list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
        seen.push(...page.items.map(({ id }) => id));
        if (page.nextCursor === null) break;
        cursor = page.nextCursor;
        await world.submit();
        await (await world.claim({ limit: 1 }))[0]?.complete();
      }
      expect(seen).toEqual(ids.reverse());
    });

    it("a cursor that no list has returned is refused", async ({ world }) => {
      for (const cursor of ["", "x", "'; DROP TABLE tasks", Buffer.from("~").toString("base64url")]) {
        const refused = { code: "invalid_argument", field: "cursor" };
        await expect(world.tenant.list({ limit: 2, cursor })).rejects.toMatchObject(refused);
        await expect(world.ledger.system.list({ limit: 2, cursor })).rejects.toMatchObject(refused);
        await expect(world.ledger.system.deadLetters({ limit: 2, cursor })).rejects.toMatchObject(refused);
      }
    });

    it("a conversation is what a persona and a principal have finished in a context before, oldest first", async ({
      world,
    }) => {
      const contextId = newId();
      const said = async (over = {}) => {
        const attempt = await world.running({ contextId, ...over });
        await attempt.settle({ type: "completed" }, { facts: [piece("well")] });
        return attempt.id;
      };
      const [first, second, third] = [await said(), await said(), await said()];
      await said({ persona: "editor" });
      await said({ principal: "user:bob" });
      await said({ contextId: newId() });
      await (await world.running({ contextId })).fail("no", { retryable: false });
      const parent = await world.running({ contextId });
      await parent.delegate("writer", {});
      await (await world.run()).complete();
      const query = { contextId, persona: "writer", principal: "user:ann" };

      const turns = await world.tenant.conversation({ ...query, before: parent.id, limit: 10 });
      expect(turns.map(({ id }) => id)).toEqual([first, second, third]);
      expect(turns[0]).toEqual(await world.snapshot(first));
      const last = await world.tenant.conversation({ ...query, before: parent.id, limit: 2 });
      expect(last.map(({ id }) => id)).toEqual([second, third]);
      expect(await world.tenant.conversation({ ...query, before: first, limit: 2 })).toEqual([]);
    });

    it("counts what is unfinished", async ({ world }) => {
      await world.submit();
      await world.submit({ offer: world.offer() });
      await world.running({ persona: "editor" });
      await (await world.running({ persona: "editor" })).ask("which?");
      await (await world.running({ persona: "editor" })).complete();
      expect(await world.ledger.system.counts()).toEqual({ pending: 2, processing: 1, waiting: 1, dead: 0 });
    });

    it("X17 knows why a task does not move", async ({ world }) => {
      const facts = (id: string) => world.ledger.system.queueFacts("default", id);
      const contextId = newId();
      const { task: first } = await world.submit({ contextId });
      const { task: second } = await world.submit({ contextId });
      const { task: third } = await world.submit();
      expect(await facts(second.id)).toMatchObject({ behind: { id: first.id }, maxAttempts: 3, leaseOwner: null });
      expect(await facts(third.id)).toMatchObject({ behind: null, ahead: 1, awaited: [] });

      const [parent] = await world.claim({ worker: "worker-7", limit: 1 });
      expect(await facts(first.id)).toMatchObject({
        leaseOwner: "worker-7",
        leaseUntil: world.now + LEASE_MS,
        ahead: 0,
      });
      const until = world.now + 1000;
      const child = await parent?.delegate("editor", { parkUntil: until });
      expect(await facts(first.id)).toMatchObject({
        leaseOwner: null,
        wakeAt: until,
        awaited: [{ id: child?.task.id }],
      });
    });

    it("children come in the order in which they were delegated", async ({ world }) => {
      const parent = await world.running();
      const ids: string[] = [];
      for (const persona of ["editor", "critic", "editor"]) {
        world.later(1);
        ids.push((await parent.delegate(persona)).task.id);
      }
      expect((await world.tenant.children(parent.id)).map(({ id }) => id)).toEqual(ids);
    });
  });
