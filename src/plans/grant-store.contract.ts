import { describe, expect, test } from "vitest";
import { newId } from "../shared/ids.js";
import type { TaskLedger } from "../tasks/ledger.js";
import type { Assignee } from "./assignment.js";
import type { Grant, GrantStore, SpendGrant } from "./grant.js";
import { grantState } from "./grant.js";
import type { PlanStep } from "./plan.js";
import type { PlanStore } from "./plan-store.js";
import type { ProfileKind } from "./profile.js";

interface Stores {
  grants: GrantStore;
  plans: PlanStore;
  ledger: TaskLedger;
}

const NOW = 1_800_000_000_000;
const WEEK = 7 * 86_400_000;

/** What every store of grants must do, on whatever it stands: each implementation runs this suite. */
export function describeGrantStore(name: string, open: () => Promise<Stores & { close(): Promise<void> }>): void {
  const it = test.extend<{ house: House }>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
    house: async ({}, use: (house: House) => Promise<void>) => {
      const { close, ...stores } = await open();
      await use(new House(stores));
      await close();
    },
  });

  describe(name, () => {
    it("P17 keeps a grant as it was made, for the assignment as it stands", async ({ house }) => {
      const assignment = await house.assignment();
      const made = await house.grant(assignment, { peerClient: "openclaw-2026.10.5" });
      expect(made).toMatchObject({ peer: "partner", generation: 0, skill: "review", spent: null, revokedAt: null });
      expect(made).toMatchObject({ tenant: "acme", assignmentId: assignment, peerClient: "openclaw-2026.10.5" });
      expect(await house.grants.find(made.id)).toEqual(made);
      expect(await house.grants.find(newId())).toBeNull();
    });

    it("P17 lists the newest first, of one assignment or of all", async ({ house }) => {
      const [one, other] = [await house.assignment(), await house.assignment()];
      const made = [await house.grant(one), await house.grant(other), await house.grant(one)].map(({ id }) => id);
      const ids = async (query: { assignmentId?: string }) => (await house.grants.list(query)).map(({ id }) => id);
      expect(await ids({})).toEqual(made.toReversed());
      expect(await ids({ assignmentId: one })).toEqual([made[2], made[0]]);
      expect(await ids({ assignmentId: newId() })).toEqual([]);
    });

    it.for<[what: string, reason: string, prepared: Prepared]>([
      ["a profile that builds", "PROFILE_NOT_ANALYSIS", { kind: "build" }],
      ["a profile that tests", "PROFILE_NOT_ANALYSIS", { kind: "test" }],
      ["an assignment of a peer", "ASSIGNMENT_NOT_NATIVE", { assignee: { runtime: "peer", peer: "other" } }],
      ["a plan of two steps", "PLAN_NOT_SINGLE_STEP", { steps: ["read", "write"] }],
    ])("P18 refuses %s", async ([, reason, prepared], { house }) => {
      const assignment = await house.assignment(prepared);
      await expect(house.grant(assignment)).rejects.toMatchObject({ code: "failed_precondition", reason });
      expect(await house.grants.list({})).toEqual([]);
    });

    it("P18 refuses an assignment whose run has not ended, or whose allowance is used up", async ({ house }) => {
      const running = await house.assignment();
      const { taskId } = await house.spend(await house.grant(running));
      await expect(house.grant(running)).rejects.toMatchObject({ reason: "RUN_UNFINISHED" });
      await house.plans.takeInvocation({ tenant: "acme", childId: taskId, now: NOW });
      await house.plans.takeInvocation({ tenant: "acme", childId: taskId, now: NOW });
      await house.end(taskId);
      await expect(house.grant(running)).rejects.toMatchObject({ reason: "ALLOWANCE_USED_UP" });
      await expect(house.grant(newId())).rejects.toMatchObject({ code: "not_found" });
    });

    it("P1 a credential is one peer's for ever, and opens one grant at a time", async ({ house }) => {
      const assignment = await house.assignment();
      const other = await house.assignment();
      const first = await house.grant(assignment, { credentialDigest: "sha256:same" });
      const again = (peer: string) => house.grant(other, { credentialDigest: "sha256:same", peer });
      await expect(again("partner")).rejects.toMatchObject({ code: "conflict", reason: "CREDENTIAL_IN_USE" });
      await house.grants.revoke({ id: first.id, now: NOW });
      await expect(again("stranger")).rejects.toMatchObject({ code: "conflict", reason: "CREDENTIAL_IN_USE" });
      expect((await again("partner")).credentialDigest).toBe("sha256:same");
    });

    it("P1 of two grants that are made with one credential at the same time there is one", async ({ house }) => {
      const assignments = [await house.assignment(), await house.assignment()];
      const made = await Promise.allSettled(assignments.map((id) => house.grant(id, { credentialDigest: "sha256:x" })));
      expect(made.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    });

    it("P18 is spent on one message: the task, its run and the receipt come into being with it", async ({ house }) => {
      const assignment = await house.assignment();
      const grant = await house.grant(assignment);
      const { taskId, created } = await house.spend(grant, { peerContextId: "their-words" });
      expect(created).toBe(true);
      const task = await house.ledger.forTenant("acme").task(taskId);
      expect(task).toMatchObject({ persona: "analyst", principal: "peer:partner", trigger: "plan", parentId: null });
      expect((await house.grants.find(grant.id))?.spent).toEqual({
        ...{ messageId: "m-1", bodyHash: "aa", peerContextId: "their-words", taskId, at: NOW },
      });
      expect(await house.grants.ofTask("acme", taskId)).toMatchObject({ id: grant.id });
      expect(await house.grants.ofTask("elsewhere", taskId)).toBeNull();
      expect((await house.plans.assignment(assignment))?.assignment).toMatchObject({
        generation: 1,
        runs: [{ childId: taskId, grantId: grant.id, generation: 1 }],
      });
    });

    it("P18 the same message gives the same task, another body conflicts, another message is refused", async ({
      house,
    }) => {
      const grant = await house.grant(await house.assignment());
      const { taskId } = await house.spend(grant);
      expect(await house.spend(grant)).toEqual({ taskId, created: false });
      await expect(house.spend(grant, { bodyHash: "bb" })).rejects.toMatchObject({ reason: "MESSAGE_ID_CONFLICT" });
      await expect(house.spend(grant, { messageId: "m-2" })).rejects.toMatchObject({
        code: "failed_precondition",
        reason: "GRANT_SPENT",
      });
      expect(await house.tasks()).toEqual([taskId]);
    });

    it("P18 two identical messages at the same time make one task, and both get it", async ({ house }) => {
      const grant = await house.grant(await house.assignment());
      const got = await Promise.all([house.spend(grant), house.spend(grant), house.spend(grant)]);
      expect(new Set(got.map(({ taskId }) => taskId)).size).toBe(1);
      expect(got.filter(({ created }) => created)).toHaveLength(1);
      expect(await house.tasks()).toHaveLength(1);
    });

    it("P18 of two messages at the same time one is admitted", async ({ house }) => {
      const grant = await house.grant(await house.assignment());
      const got = await Promise.allSettled(["m-1", "m-2"].map((messageId) => house.spend(grant, { messageId })));
      const refused = got.filter((one) => one.status === "rejected");
      expect(refused.map(({ reason }) => reason.reason)).toEqual(["GRANT_SPENT"]);
      expect(await house.tasks()).toHaveLength(1);
    });

    it("P18 a message that was admitted before spends no renewed grant", async ({ house }) => {
      const assignment = await house.assignment();
      const { taskId } = await house.spend(await house.grant(assignment));
      await house.end(taskId);
      const renewed = await house.grant(assignment);
      expect(renewed.generation).toBe(1);
      expect(await house.spend(renewed)).toEqual({ taskId, created: false });
      await expect(house.spend(renewed, { bodyHash: "bb" })).rejects.toMatchObject({ reason: "MESSAGE_ID_CONFLICT" });
      const second = await house.spend(renewed, { messageId: "m-2" });
      expect(second.created).toBe(true);
      expect(second.taskId).not.toBe(taskId);
      expect(await house.tasks()).toHaveLength(2);
    });

    it("P18 nothing is spent by a message that comes too late, or for which there is nothing left", async ({
      house,
    }) => {
      const assignment = await house.assignment();
      const [late, gone, stale] = [
        await house.grant(assignment),
        await house.grant(assignment),
        await house.grant(assignment),
      ];
      await expect(house.spend(late, { now: late.expiresAt })).rejects.toMatchObject({ reason: "GRANT_EXPIRED" });
      await house.grants.revoke({ id: gone.id, now: NOW });
      await expect(house.spend(gone)).rejects.toMatchObject({ reason: "GRANT_REVOKED" });
      expect(await house.tasks()).toEqual([]);
      const { taskId } = await house.spend(late);
      await expect(house.spend(stale, { messageId: "m-2" })).rejects.toMatchObject({ reason: "RUN_UNFINISHED" });
      await house.end(taskId);
      await expect(house.spend(stale, { messageId: "m-2" })).rejects.toMatchObject({
        reason: "ASSIGNMENT_GENERATION_STALE",
      });
      expect((await house.grants.find(stale.id))?.spent).toBeNull();
      expect(await house.tasks()).toEqual([taskId]);
      await expect(house.spend({ id: newId() })).rejects.toMatchObject({ code: "not_found" });
    });

    it("P17 revoking twice is no error, the first time stands, and it is told before it is confirmed", async ({
      house,
    }) => {
      const grant = await house.grant(await house.assignment());
      const heard: string[] = [];
      const stop = house.grants.onRevoked((id) => heard.push(id));
      expect((await house.grants.revoke({ id: grant.id, now: NOW + 5 })).revokedAt).toBe(NOW + 5);
      expect(heard).toEqual([grant.id]);
      stop();
      const again = await house.grants.revoke({ id: grant.id, now: NOW + 9 });
      expect([again.revokedAt, grantState(again, NOW)]).toEqual([NOW + 5, "revoked"]);
      await expect(house.grants.revoke({ id: newId(), now: NOW })).rejects.toMatchObject({ code: "not_found" });
    });
  });
}

interface Prepared {
  kind?: ProfileKind;
  assignee?: Assignee;
  steps?: readonly string[];
}

/** What the operator has prepared, and messages that come in. */
class House {
  readonly grants: GrantStore;
  readonly plans: PlanStore;
  readonly ledger: TaskLedger;

  constructor({ grants, plans, ledger }: Stores) {
    this.grants = grants;
    this.plans = plans;
    this.ledger = ledger;
  }

  async assignment({ kind = "analysis", assignee, steps = ["read"] }: Prepared = {}): Promise<string> {
    const planId = newId();
    const id = newId();
    const step = (name: string): PlanStep => ({ id: name, instruction: `do ${name}`, files: [], needs: [] });
    await this.plans.create({
      ...{ id: planId, tenant: "acme", workspace: "/nowhere", snapshotDigest: "sha256:0", files: [] },
      plan: {
        title: "a plan",
        steps: steps.map(step),
        checks: [{ name: "green", command: "true", args: [], timeoutMs: 1000 }],
        limits: { invocations: 9, tokenUnits: null },
      },
      contents: new Map(),
      now: NOW,
    });
    await this.plans.assign({
      ...{ tenant: "acme", planId, revision: 1, id, step: steps[0] as string, invocations: 2, now: NOW },
      profile: { name: "nuncio/reviewer", kind, text: "Look at it." },
      assignee: assignee ?? { runtime: "native", persona: "analyst" },
    });
    return id;
  }

  grant(assignmentId: string, grant: Partial<Grant> = {}): Promise<Grant> {
    const id = newId();
    return this.grants.make({
      ...{ id, assignmentId, peer: "partner", interfaceTenant: "project-one", skill: "review", peerClient: null },
      ...{ credentialDigest: `sha256:${id}`, createdAt: NOW, expiresAt: NOW + WEEK },
      ...grant,
    });
  }

  spend({ id }: { id: string }, message: Partial<SpendGrant> = {}): Promise<{ taskId: string; created: boolean }> {
    const contextId = newId();
    return this.grants.spend({
      ...{ id, messageId: "m-1", bodyHash: "aa", peerContextId: null, bytes: 300, peerClient: null, now: NOW },
      run: {
        submit: {
          ...{ contextId, newContext: true, persona: "analyst", principal: "peer:partner", trigger: "plan" },
          message: { messageId: newId(), role: "user", parts: [{ text: "do it" }] },
          ...{ bodyHash: "cc", now: NOW, maxAttempts: 3, lane: null },
        },
      },
      ...message,
    });
  }

  async end(taskId: string): Promise<void> {
    await this.ledger.forTenant("acme").cancel({ taskId, reason: "enough", now: NOW });
  }

  async tasks(): Promise<string[]> {
    return (await this.ledger.forTenant("acme").list({ limit: 100 })).items.map(({ id }) => id);
  }
}
