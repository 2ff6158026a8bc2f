import { describe, expect } from "vitest";
import { piece, step } from "./attempt.contract.js";
import { agentSays, texts } from "./messages.contract.js";
import { LEASE_MS, type LedgerTest } from "./world.contract.js";

export const attempts = (it: LedgerTest) =>
  describe("attempts", () => {
    it("the first record starts the attempt", async ({ world }) => {
      const { task, claim } = await world.submit({ offer: world.offer() });
      const attempt = world.attempt(claim);
      expect(await attempt.append([piece("Once")])).toEqual({ seq: 3 });
      expect(await world.snapshot(task.id)).toMatchObject({ state: "processing", started: true, seq: 3 });
    });

    it("what it says becomes events, in order", async ({ world }) => {
      const attempt = await world.running();
      await attempt.append([piece("Once "), { type: "status", state: "processing", message: agentSays("thinking") }]);
      await attempt.append([piece("upon a time")]);
      const { artifacts, statusMessage } = await world.snapshot(attempt.id);
      expect(artifacts).toEqual([{ artifactId: "result", parts: [{ text: "Once upon a time" }] }]);
      expect(texts(statusMessage === null ? [] : [statusMessage])).toEqual(["thinking"]);
    });

    it("completes with everything that was still to be recorded, in one transaction", async ({ world }) => {
      const { task, claim } = await world.submit({ offer: world.offer() });
      const settled = await world
        .attempt(claim)
        .settle({ type: "completed", message: agentSays("done") }, { facts: [piece("a tale")] });
      expect(settled).toEqual({ state: "completed", seq: 4 });
      const events = await world.tenant.events(task.id, 0);
      expect(events.map((event) => (event.type === "status" ? event.state : event.type))).toEqual([
        "message",
        "processing",
        "artifact",
        "completed",
      ]);
      expect((await world.snapshot(task.id)).artifacts).toEqual([
        { artifactId: "result", parts: [{ text: "a tale" }] },
      ]);
    });

    it("a piece that does not append replaces what the artifact held", async ({ world }) => {
      const attempt = await world.running();
      await attempt.append([piece("half a lost st")]);
      await attempt.settle({ type: "completed" }, { facts: [piece("a whole step", false)] });
      expect((await world.snapshot(attempt.id)).artifacts).toMatchObject([{ parts: [{ text: "a whole step" }] }]);
    });

    it("X1 gives the next attempt the journal of those before, in order", async ({ world }) => {
      const first = await world.running();
      const steps = [step(1, "a", world.now), step(2, "b", world.now + 1), step(3, "c", world.now + 2)];
      await first.append([], steps.slice(0, 2));
      await first.settle({ type: "failed", message: agentSays("oh"), retryable: true, retryAt: world.now });
      const second = await world.run();
      expect(second.claim.journal).toEqual(steps.slice(0, 2));
      await second.append([], steps.slice(2));
      await second.handBack();
      expect((await world.run()).claim.journal).toEqual(steps);
    });

    it("records facts and steps together or not at all", async ({ world }) => {
      const attempt = await world.running();
      await attempt.append([], [step(1, "a", world.now)]);
      // The same number twice: no ledger can keep both.
      await expect(attempt.append([piece("lost")], [step(2, "b", 0), step(1, "a", 0)])).rejects.toThrow();
      expect((await world.snapshot(attempt.id)).artifacts).toEqual([]);
      await attempt.handBack();
      expect((await world.run()).claim.journal.map(({ key }) => key)).toEqual(["a"]);
    });

    it("adds up tokens over records and attempts", async ({ world }) => {
      const first = await world.running();
      await world.ledger.system.append({ ...first.record(), inputTokens: 10, outputTokens: 1 });
      await first.handBack();
      const second = await world.run();
      await world.ledger.system.append({ ...second.record(), inputTokens: 20, outputTokens: 2 });
      expect(await world.tenant.task(second.id)).toMatchObject({ inputTokens: 30, outputTokens: 3 });
    });

    it("a rejection and a failure that cannot be retried end the task, with the reason", async ({ world }) => {
      const rejected = await world.running();
      await rejected.settle({ type: "rejected", message: agentSays("not my work") });
      const failed = await world.running();
      await failed.fail("no such model", { retryable: false });
      for (const [{ id }, state, reason] of [
        [rejected, "rejected", "not my work"],
        [failed, "failed", "no such model"],
      ] as const) {
        expect(await world.snapshot(id)).toMatchObject({ state, statusMessage: { parts: [{ text: reason }] } });
      }
      expect((await world.ledger.system.deadLetters({ limit: 10 })).items).toEqual([]);
    });

    it("D8 a failure goes back to the queue until its time has come", async ({ world }) => {
      const attempt = await world.running();
      expect(await attempt.fail("busy", { retryAt: world.now + 500 })).toMatchObject({ state: "pending" });
      expect(await world.snapshot(attempt.id)).toMatchObject({
        started: true,
        runAt: world.now + 500,
        statusMessage: { parts: [{ text: "busy" }] },
      });
      world.later(499);
      expect(await world.claim()).toEqual([]);
      world.later(1);
      expect((await world.claim()).map(({ claim }) => claim.snapshot.attempt)).toEqual([2]);
    });

    it("D14 counts failures, crashes and lost leases alike, the first attempt included", async ({ world }) => {
      const failed = await world.running({ maxAttempts: 3 });
      await failed.fail("one");
      await world.claim();
      world.later(LEASE_MS + 1);
      await world.recover();
      const last = await world.run();
      expect(last.claim.snapshot.attempt).toBe(3);
      expect(await last.fail("three")).toMatchObject({ state: "failed" });
      expect(await world.claim()).toEqual([]);
    });

    it("D14 does not count a drained shutdown, nor waking from a park", async ({ world }) => {
      const attempt = await world.running({ maxAttempts: 1 });
      await attempt.handBack();
      const resumed = await world.run();
      await resumed.ask("which one?");
      await world.answer(resumed.id, "that one");
      const answered = await world.run();
      expect(answered.claim.snapshot).toMatchObject({ attempt: 1, turn: 2 });
      expect(await answered.fail("after all")).toMatchObject({ state: "failed" });
    });

    it("D14 counts a crash after waking", async ({ world }) => {
      const attempt = await world.running({ maxAttempts: 2 });
      await attempt.handBack();
      await world.run();
      world.later(LEASE_MS + 1);
      await world.recover();
      expect((await world.run()).claim.snapshot.attempt).toBe(2);
    });

    it("invariant 4 a worker that lost its lease can change nothing, however late it comes", async ({ world }) => {
      const late = await world.running();
      world.later(LEASE_MS + 1);
      await world.recover();
      const successor = await world.run("writer", "worker-1");
      const before = await world.snapshot(late.id);

      const lost = { code: "lease_lost" };
      await expect(late.append([piece("late")])).rejects.toMatchObject(lost);
      await expect(late.complete()).rejects.toMatchObject(lost);
      await expect(late.fail("late")).rejects.toMatchObject(lost);
      await expect(late.ask("late?")).rejects.toMatchObject(lost);
      await expect(late.await([successor.id])).rejects.toMatchObject(lost);
      await expect(late.handBack()).rejects.toMatchObject(lost);
      await expect(late.delegate("editor")).rejects.toMatchObject(lost);
      await expect(late.delegate("editor", { parkUntil: world.now + 1 })).rejects.toMatchObject(lost);

      expect(await world.snapshot(late.id)).toEqual(before);
      expect(await world.tenant.children(late.id)).toEqual([]);
    });

    it("invariant 4 nor one whose lease has run out, as soon as another has it", async ({ world }) => {
      const late = await world.running();
      world.later(LEASE_MS + 1);
      // Nobody has taken it: the worker was only slow, and its work counts.
      expect(await late.append([piece("in time")])).toEqual({ seq: 3 });
      await world.recover();
      await expect(late.append([piece("too late")])).rejects.toMatchObject({ code: "lease_lost" });
    });

    it("invariant 4 nor one that has parked, when another goes on in its place", async ({ world }) => {
      const parked = await world.running();
      const { task } = await parked.delegate("editor", { parkUntil: world.now + 60_000 });
      await expect(parked.append([piece("late")])).rejects.toMatchObject({ code: "lease_lost" });
      // Woken and claimed in one step, by a worker of the same name.
      const child = await world.run("editor");
      expect(child.id).toBe(task.id);
      const { claim } = await child.complete(world.offer());
      const next = world.attempt(claim);
      await next.start();
      expect(next.id).toBe(parked.id);
      await expect(parked.append([piece("late")])).rejects.toMatchObject({ code: "lease_lost" });
      await expect(parked.complete()).rejects.toMatchObject({ code: "lease_lost" });
      expect(await next.complete()).toMatchObject({ state: "completed" });
    });

    it("invariant 1 an attempt starts once", async ({ world }) => {
      const attempt = await world.running();
      await expect(world.ledger.system.append({ ...attempt.record(), start: true })).rejects.toMatchObject({
        code: "lease_lost",
      });
    });

    it("invariant 1 what has not started cannot go on", async ({ world }) => {
      const { claim } = await world.submit({ offer: world.offer() });
      const attempt = world.attempt(claim);
      await expect(world.ledger.system.append({ ...attempt.record(), start: false })).rejects.toMatchObject({
        code: "lease_lost",
      });
    });

    it("invariant 6 a task that has ended never changes again", async ({ world }) => {
      const attempt = await world.running();
      await attempt.complete();
      const before = await world.snapshot(attempt.id);
      world.later(LEASE_MS + 1);
      await expect(attempt.append([piece("more")])).rejects.toMatchObject({ code: "lease_lost" });
      await expect(attempt.complete()).rejects.toMatchObject({ code: "lease_lost" });
      await expect(world.cancel(attempt.id)).rejects.toMatchObject({ code: "failed_precondition" });
      await expect(world.answer(attempt.id, "more")).rejects.toMatchObject({ code: "failed_precondition" });
      await world.recover({ alone: true });
      await world.wakeDue();
      expect(await world.snapshot(attempt.id)).toEqual(before);
    });
  });
