import { describe, expect } from "vitest";
import type { Approval, NewApproval } from "../approval-ledger.js";
import { approvalMessage } from "../approval-message.js";
import { textOf } from "../message.js";
import { type Attempt, netHttp } from "./attempt.contract.js";
import type { LedgerTest, World } from "./world.contract.js";

export const approvals = (it: LedgerTest) =>
  describe("approvals", () => {
    it("a run that asks the operator parks, says so, and stands in the inbox", async ({ world }) => {
      const attempt = await world.running();
      expect(await attempt.askOperator(["c1"])).toMatchObject({ state: "waiting" });
      expect(await world.state(attempt.id)).toBe("waiting(approval)");
      const { statusMessage } = await world.snapshot(attempt.id);
      expect(statusMessage && textOf(statusMessage)).toBe("Waiting for the operator's approval to call net_http.");
      const request = netHttp("c1", world.now + 60_000);
      const [asked, ...more] = await world.inbox();
      expect(asked).toEqual({
        ...request,
        id: expect.any(String),
        tenant: "default",
        taskId: attempt.id,
        rootId: attempt.id,
        persona: "writer",
        createdAt: world.now,
        decision: null,
        reason: null,
        decidedAt: null,
      });
      expect(more).toEqual([]);
      expect(await world.ledger.system.approvals.find((asked as Approval).id)).toEqual(asked);
      expect(await world.tenant.approvals.find({ taskId: attempt.id, ...request })).toEqual(asked);
      expect((await world.ledger.system.queueFacts("default", attempt.id))?.approvals).toEqual([asked]);
    });

    it("is bound to its call, its arguments and its tenant", async ({ world }) => {
      const attempt = await world.running();
      await attempt.askOperator(["c1"]);
      await world.decide("c1");
      const { callId, digest } = netHttp("c1", 0);
      const taskId = attempt.id;
      expect(await world.tenant.approvals.find({ taskId, callId, digest })).toMatchObject({ decision: "approved" });
      for (const other of [
        world.tenant.approvals.find({ taskId, callId: "c2", digest }),
        world.tenant.approvals.find({ taskId, callId, digest: netHttp("c2", 0).digest }),
        world.tenant.approvals.find({ taskId: (await world.submit()).task.id, callId, digest }),
        world.ledger.forTenant("acme").approvals.find({ taskId, callId, digest }),
      ]) {
        expect(await other).toBeNull();
      }
    });

    it("with other arguments is another question: the open one is withdrawn, and can be asked again", async ({
      world,
    }) => {
      const expiresAt = world.now + 60_000;
      const first = netHttp("c1", expiresAt);
      const second = { ...netHttp("other", expiresAt), callId: "c1" };
      const asked = async () => (await world.inbox()).map(({ callId, digest }) => `${callId} ${digest}`).sort();
      const ask = async (attempt: Attempt, ...requests: NewApproval[]) => {
        await attempt.settle({ type: "approval", requests, until: expiresAt, message: approvalMessage(requests) });
        expect(await asked()).toEqual(requests.map(({ callId, digest }) => `${callId} ${digest}`).sort());
      };
      await ask(await world.running(), first, netHttp("c2", expiresAt));
      const withdrawn = (await world.inbox()).find(({ callId }) => callId === "c1") as Approval;
      await world.decide("c2");
      await ask(await world.run(), second, netHttp("c3", expiresAt));
      expect(await world.ledger.system.approvals.find(withdrawn.id)).toMatchObject({ decision: "canceled" });
      await expect(
        world.ledger.system.approvals.decide({ id: withdrawn.id, decision: "approved", now: world.now }),
      ).rejects.toMatchObject({ reason: "APPROVAL_DECIDED" });
      await world.decide("c3");
      await ask(await world.run(), first);
      await world.decide("c1", "denied");
      expect(await world.inbox()).toEqual([]);
    });

    for (const decision of ["approved", "denied"] as const) {
      it(`wakes the task when it is ${decision}, and the attempt does not count`, async ({ world }) => {
        const attempt = await world.running();
        await attempt.askOperator(["c1"]);
        world.later(5);
        expect(await world.decide("c1", decision, "seen")).toMatchObject({
          ...{ decision, reason: "seen", decidedAt: world.now, taskId: attempt.id },
        });
        expect(await world.inbox()).toEqual([]);
        expect(await world.state(attempt.id)).toBe("pending");
        expect((await world.run()).claim.snapshot).toMatchObject({ attempt: 1, turn: 1 });
      });
    }

    it("is decided once: whoever comes second hears of the first", async ({ world }) => {
      const attempt = await world.running();
      await attempt.askOperator(["c1"]);
      const [{ id }] = (await world.inbox()) as [Approval];
      const decide = (decision: "approved" | "denied", ledger = world.ledger) =>
        ledger.system.approvals.decide({ id, decision, now: world.now });
      const outcomes = await Promise.allSettled([decide("approved"), decide("denied", world.elsewhere)]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      const decided = await world.ledger.system.approvals.find(id);
      expect(outcomes).toContainEqual({ status: "fulfilled", value: decided });
      await expect(decide("approved")).rejects.toMatchObject({
        code: "failed_precondition",
        reason: "APPROVAL_DECIDED",
        details: { decision: decided?.decision },
      });
      expect(await world.claim()).toHaveLength(1);
    });

    it("is not decided by whoever has looked at something else", async ({ world }) => {
      const attempt = await world.running();
      await attempt.askOperator(["c1"]);
      const [{ id, digest }] = (await world.inbox()) as [Approval];
      const { decide } = world.ledger.system.approvals;
      const other = netHttp("c2", 0).digest;
      await expect(decide({ id, decision: "approved", digest: other, now: world.now })).rejects.toMatchObject({
        ...{ code: "conflict", reason: "APPROVAL_CHANGED" },
      });
      await expect(decide({ id: `${id}x`, decision: "approved", now: world.now })).rejects.toMatchObject({
        code: "not_found",
      });
      expect(await world.state(attempt.id)).toBe("waiting(approval)");
      expect(await decide({ id, decision: "approved", digest, now: world.now })).toMatchObject({
        decision: "approved",
      });
    });

    it("expires when its time is up, in the transaction that wakes the task", async ({ world }) => {
      const attempt = await world.running();
      await attempt.askOperator(["c1"], { expiresIn: 1000 });
      await attemptWhere(world, "c2", 2000);
      world.later(999);
      expect(await world.wakeDue()).toEqual({ woken: 0, nextAt: world.now + 1 });
      world.later(1);
      await expect(world.decide("c1")).rejects.toMatchObject({
        reason: "APPROVAL_DECIDED",
        details: { decision: "expired" },
      });
      expect(await world.wakeDue()).toEqual({ woken: 1, nextAt: world.now + 1000 });
      expect(await world.state(attempt.id)).toBe("pending");
      const { callId, digest } = netHttp("c1", 0);
      expect(await world.tenant.approvals.find({ taskId: attempt.id, callId, digest })).toMatchObject({
        ...{ decision: "expired", decidedAt: world.now },
      });
      expect((await world.inbox()).map((approval) => approval.callId)).toEqual(["c2"]);
    });

    it("several calls ask at once, and each decision wakes; what was asked before is not asked again", async ({
      world,
    }) => {
      const attempt = await world.running();
      await attempt.askOperator(["c1", "c2"]);
      const asked = await world.inbox();
      expect(asked.map(({ callId }) => callId).sort()).toEqual(["c1", "c2"]);
      await world.decide("c2");
      const again = await world.run();
      world.later(10);
      await again.askOperator(["c1"]);
      expect(await world.state(attempt.id)).toBe("waiting(approval)");
      expect(await world.inbox()).toEqual(asked.filter(({ callId }) => callId === "c1"));
      await world.decide("c1", "denied");
      expect(await world.state(attempt.id)).toBe("pending");
    });

    it("does not wait for what was decided while the attempt was on its way to wait", async ({ world }) => {
      const attempt = await world.running();
      await attempt.askOperator(["c1", "c2"]);
      await world.decide("c1");
      const again = await world.run();
      await world.decide("c2");
      expect(await again.askOperator(["c2"])).toMatchObject({ state: "pending" });
      expect((await world.run()).claim.snapshot.attempt).toBe(1);
    });

    it("waits for the operator and for replies at the same time; whatever comes first wakes", async ({ world }) => {
      const parent = await world.running();
      const { task } = await parent.delegate("editor");
      await parent.askOperator(["c1"], { taskIds: [task.id] });
      await (await world.run("editor")).complete();
      expect(await world.state(parent.id)).toBe("pending");

      const woken = await world.run();
      const second = await woken.delegate("editor");
      await woken.askOperator(["c1"], { taskIds: [second.task.id] });
      const editor = await world.run("editor");
      await editor.ask("which one?");
      expect(await world.state(parent.id)).toBe("waiting(input)");
      await world.answer(parent.id, "that one");
      expect(await world.state(parent.id)).toBe("waiting(approval)");
      await world.decide("c1");
      expect(await world.state(parent.id)).toBe("pending");
    });

    it("D18 shows at everybody who awaits it, up to the root, whose state stays; the inbox names the root", async ({
      world,
    }) => {
      const { root, child, grandchild } = await chain(world);
      await grandchild.askOperator(["c1"]);
      const [asked] = await world.inbox();
      expect(asked).toMatchObject({ taskId: grandchild.id, rootId: root.id, persona: "critic" });
      const asks = `Waiting for the operator's approval: critic (task ${grandchild.id}) asks to call net_http.`;
      for (const { id } of [child, root]) {
        expect(await world.state(id)).toBe("waiting(reply)");
        expect(await said(world, id)).toBe(asks);
        expect((await world.ledger.system.queueFacts("default", id))?.approvals).toEqual([asked]);
      }
      // Nothing of the arguments is told to whoever follows the task.
      for (const { id } of [root, child, grandchild]) {
        expect(JSON.stringify(await world.tenant.events(id, 0))).not.toContain("example.com");
      }

      await world.decide("c1", "denied", "because I say so");
      for (const { id } of [child, root]) {
        expect(await world.state(id)).toBe("waiting(reply)");
        expect(await said(world, id)).toBe(
          `The operator has denied what critic (task ${grandchild.id}) asked: a call of net_http.`,
        );
      }
    });

    it("D18 shows also at whoever begins to await it later", async ({ world }) => {
      const root = await world.running();
      const { task } = await root.delegate("editor");
      const child = await world.run("editor");
      await child.delegate("critic", { parkUntil: world.now + 60_000 });
      const grandchild = await world.run("critic");
      await grandchild.askOperator(["c1"]);
      await root.await([task.id]);
      expect(await said(world, root.id)).toContain(`critic (task ${grandchild.id}) asks`);
    });

    it("whoever awaits it hears also that nobody decided", async ({ world }) => {
      const root = await world.running();
      await root.delegate("editor", { parkUntil: world.now + 60_000 });
      const child = await world.run("editor");
      await child.askOperator(["c1"], { expiresIn: 1000 });
      world.later(1000);
      await world.wakeDue();
      expect(await said(world, root.id)).toBe(
        `Nobody has approved in time what editor (task ${child.id}) asked: a call of net_http.`,
      );
      expect(await world.inbox()).toEqual([]);
    });

    it("a question to the caller stays what the ancestors show", async ({ world }) => {
      const parent = await world.running();
      const [one, two] = [await parent.delegate("editor"), await parent.delegate("critic")];
      await parent.await([one.task.id, two.task.id]);
      await (await world.run("editor")).ask("which one?");
      await (await world.run("critic")).askOperator(["c1"]);
      expect(await world.state(parent.id)).toBe("waiting(input)");
      expect(await said(world, parent.id)).toBe("which one?");
    });

    it("tasks that await each other are told once", async ({ world }) => {
      const root = await world.running();
      const [one, two] = [await root.delegate("editor"), await root.delegate("critic")];
      await root.await([one.task.id]);
      const [editor, critic] = [await world.run("editor"), await world.run("critic")];
      await editor.askOperator(["c1"], { taskIds: [two.task.id] });
      await critic.await([one.task.id]);
      await world.decide("c1");
      expect(await said(world, two.task.id)).toContain("The operator has approved");
    });

    it("E12 a task that waits for an approval is not canceled by its caller", async ({ world }) => {
      const attempt = await world.running();
      await attempt.askOperator(["c1"]);
      await expect(world.cancel(attempt.id)).rejects.toMatchObject({
        code: "failed_precondition",
        reason: "TASK_NOT_CANCELABLE",
        hint: "deny the approval instead",
      });
      expect(await world.inbox()).toHaveLength(1);
    });

    it("E12 the operator's cancel denies the approval and cancels", async ({ world }) => {
      const attempt = await world.running();
      await attempt.askOperator(["c1"]);
      const [{ id }] = (await world.inbox()) as [Approval];
      expect(await world.cancel(attempt.id, "enough", true)).toMatchObject({ canceledIds: [attempt.id] });
      expect(await world.ledger.system.approvals.find(id)).toMatchObject({
        ...{ decision: "denied", reason: "enough", decidedAt: world.now },
      });
      await expect(
        world.ledger.system.approvals.decide({ id, decision: "approved", now: world.now }),
      ).rejects.toMatchObject({ reason: "APPROVAL_DECIDED" });
    });

    it("E12 a cancel of an ancestor cancels what its descendants asked for", async ({ world }) => {
      const { root, grandchild } = await chain(world);
      await grandchild.askOperator(["c1"]);
      const [{ id }] = (await world.inbox()) as [Approval];
      expect((await world.cancel(root.id)).canceledIds).toContain(grandchild.id);
      expect(await world.ledger.system.approvals.find(id)).toMatchObject({ decision: "canceled" });
    });

    for (const how of ["fails", "loses its last attempt"] as const) {
      it(`what is asked for a task that ${how} is not needed any more`, async ({ world }) => {
        const attempt = await world.running({ maxAttempts: 1 });
        await attempt.askOperator(["c1", "c2"]);
        const [, { id }] = (await world.inbox()) as [Approval, Approval];
        await world.decide("c2");
        const again = await world.run();
        if (how === "fails") await again.fail("no", { retryable: false });
        else await world.recover({ alone: true });
        expect(await world.ledger.system.approvals.find(id)).toMatchObject({ decision: "canceled" });
      });
    }

    it("lists the newest first, in pages; decided ones when they are asked for; those of one task", async ({
      world,
    }) => {
      const ids: string[] = [];
      for (const call of ["c1", "c2", "c3"]) ids.unshift((await attemptWhere(world, call, 60_000)).id);
      await world.decide("c2");
      const { list } = world.ledger.system.approvals;
      const first = await list({ limit: 1 });
      expect(first.items.map(({ callId }) => callId)).toEqual(["c3"]);
      const second = await list({ limit: 1, cursor: first.nextCursor as string });
      expect(second).toMatchObject({ items: [{ callId: "c1" }], nextCursor: null });
      expect((await list({ all: true, limit: 100 })).items.map(({ taskId }) => taskId)).toEqual(ids);
      const taskId = ids[1] as string;
      expect((await list({ taskId, limit: 100 })).items).toEqual([]);
      expect((await list({ taskId, all: true, limit: 100 })).items).toMatchObject([{ callId: "c2" }]);
      expect((await list({ taskId: `${taskId}x`, all: true, limit: 100 })).items).toEqual([]);
      await expect(list({ limit: 1, cursor: "?" })).rejects.toMatchObject({ code: "invalid_argument" });
    });
  });

/** A task of its own that asks for this call. */
async function attemptWhere(world: World, callId: string, expiresIn: number): Promise<Attempt> {
  const attempt = await world.running();
  await attempt.askOperator([callId], { expiresIn });
  return attempt;
}

/** writer awaits editor, who awaits critic, who runs. */
async function chain(world: World) {
  const root = await world.running();
  await root.delegate("editor", { parkUntil: world.now + 60_000 });
  const child = await world.run("editor");
  await child.delegate("critic", { parkUntil: world.now + 60_000 });
  return { root, child, grandchild: await world.run("critic") };
}

async function said(world: World, id: string): Promise<string | null> {
  const { statusMessage } = await world.snapshot(id);
  return statusMessage === null ? null : textOf(statusMessage);
}
