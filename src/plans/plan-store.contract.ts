import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { newId } from "../shared/ids.js";
import type { TaskLedger } from "../tasks/ledger.js";
import type { Task } from "../tasks/task.js";
import type { Assignee, Assignment } from "./assignment.js";
import type { CheckResult, Plan, PlannedTask, SnapshotFile } from "./plan.js";
import type { NewDispatch, PlanStore } from "./plan-store.js";
import type { Profile } from "./profile.js";

interface Stores {
  plans: PlanStore;
  ledger: TaskLedger;
}

const NOW = 1_800_000_000_000;
const TENANT = "acme";

const REVIEWER: Profile = { name: "nuncio/reviewer", kind: "analysis", text: "Read." };
const BUILDER: Profile = { name: "nuncio/builder", kind: "build", text: "Build." };

const PLAN: Plan = {
  title: "Look at it",
  steps: [
    { id: "read", instruction: "Read it.", files: ["a.txt"], needs: [], persona: "analyst" },
    { id: "judge", instruction: "Judge it.", files: [], needs: ["read"] },
  ],
  checks: [
    { name: "lint", command: "true", args: [], timeoutMs: 1000 },
    { name: "test", command: "true", args: ["-x"], timeoutMs: 1000 },
  ],
  limits: { invocations: 5, tokenUnits: null },
};

const GREEN: CheckResult[] = PLAN.checks.map(({ name }) => ({ name, green: true, exitCode: 0, ms: 1, output: "" }));
const RED: CheckResult[] = GREEN.map((check, at) => (at === 0 ? { ...check, green: false, exitCode: 1 } : check));

/** What every store of planned tasks must do, on whatever it stands: each implementation runs this suite. */
export function describePlanStore(name: string, open: () => Promise<Stores & { close(): Promise<void> }>): void {
  const it = test.extend<{ house: House }>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
    house: async ({}, use: (house: House) => Promise<void>) => {
      const { close, ...stores } = await open();
      await use(new House(stores));
      await close();
    },
  });

  describe(name, () => {
    it("P7 keeps a plan with its snapshot as it was admitted", async ({ house }) => {
      const bytes = Uint8Array.from([0, 255, 10, 13, 128]);
      const made = await house.create({}, { "a.txt": "text\n", "b/ö 🎭.bin": bytes }, { "big.iso": "too large" });
      expect(made).toMatchObject({ revision: 1, state: "open", plan: PLAN, invocationsUsed: 0, checks: null });
      expect(await house.plans.plan(TENANT, made.id)).toEqual(made);
      expect(await house.plans.tenantOf(made.id)).toBe(TENANT);
      const files = await house.plans.files(TENANT, made.id);
      expect(files.map(({ path, leftOut }) => [path, leftOut])).toEqual([
        ["a.txt", null],
        ["b/ö 🎭.bin", null],
        ["big.iso", "too large"],
      ]);
      const content = await house.plans.content(TENANT, made.id, "b/ö 🎭.bin");
      expect(Uint8Array.from(content ?? [])).toEqual(bytes);
      expect(await house.plans.content(TENANT, made.id, "big.iso")).toBeNull();
      expect(await house.plans.content(TENANT, made.id, "absent")).toBeNull();
    });

    it("P7 the same bytes are kept once, however many plans and paths hold them, also at the same time", async ({
      house,
    }) => {
      const made = await Promise.all([1, 2, 3].map((n) => house.create({}, { "a.txt": "same", [`${n}.txt`]: "same" })));
      for (const { id } of made) {
        expect(Buffer.from((await house.plans.content(TENANT, id, "a.txt")) ?? []).toString()).toBe("same");
      }
    });

    it("invariant 7 another tenant sees nothing of it", async ({ house }) => {
      const { id } = await house.create();
      const { assignment } = await house.assign(id);
      const { child } = await house.run(id, assignment.id);
      expect(await house.plans.plan("other", id)).toBeNull();
      expect(await house.plans.files("other", id)).toEqual([]);
      expect(await house.plans.assignments("other", id)).toEqual([]);
      expect(await house.plans.content("other", id, "a.txt")).toBeNull();
      expect(await house.plans.assignmentOfChild("other", child.id)).toBeNull();
      expect(await house.plans.takeInvocation({ tenant: "other", childId: child.id, now: NOW })).toBe(false);
      const command = { tenant: "other", planId: id, revision: 3, checks: GREEN, now: NOW };
      await expect(house.plans.complete(command)).rejects.toMatchObject({ code: "not_found" });
    });

    it("lists the newest first, a page at a time, of one tenant or of all", async ({ house }) => {
      const made = [];
      for (const tenant of [TENANT, "zeta", TENANT]) made.push((await house.create({}, {}, {}, tenant)).id);
      const walk = async (query: { tenant?: string }) => {
        const first = await house.plans.plans({ ...query, limit: 2 });
        const { nextCursor } = first;
        const rest =
          nextCursor === null ? [] : (await house.plans.plans({ ...query, limit: 2, cursor: nextCursor })).items;
        return [...first.items, ...rest].map(({ id }) => id);
      };
      expect(await walk({})).toEqual(made.toReversed());
      expect(await walk({ tenant: TENANT })).toEqual([made[2], made[0]]);
      expect(await walk({ tenant: "nobody" })).toEqual([]);
    });

    it("P8 an assignment is kept with its profile, and raises the revision", async ({ house }) => {
      const { id } = await house.create();
      const { plan, assignment } = await house.assign(id, { invocations: 2 });
      expect(plan.revision).toBe(2);
      expect(assignment).toMatchObject({
        ...{ planId: id, step: "read", profile: REVIEWER, invocations: 2, invocationsUsed: 0, generation: 0, runs: [] },
        assignee: { runtime: "native", persona: "analyst" },
      });
      expect(await house.plans.assignments(TENANT, id)).toEqual([assignment]);
      expect(await house.plans.assignment(assignment.id)).toEqual({ plan, assignment });
      expect(await house.plans.assignment(newId())).toBeNull();
    });

    it("P8 a run makes a task of its own, and counts the generation and the revision on", async ({ house }) => {
      const { id } = await house.create();
      const { assignment } = await house.assign(id);
      const begun = await house.run(id, assignment.id);
      expect(begun.child).toMatchObject({ state: "pending", trigger: "plan", persona: "analyst", parentId: null });
      expect(begun.plan.revision).toBe(3);
      expect(begun.assignment.generation).toBe(1);
      expect(begun.assignment.runs).toEqual([
        { generation: 1, childId: begun.child.id, grantId: null, at: NOW, state: "pending" },
      ]);
      expect(await house.ledger.forTenant(TENANT).task(begun.child.id)).toEqual(begun.child);
      expect(await house.plans.assignmentOfChild(TENANT, begun.child.id)).toMatchObject({
        assignment: { generation: 1 },
      });
    });

    it("P8 a stale revision or generation is a conflict that changes nothing", async ({ house }) => {
      const { id } = await house.create();
      const { assignment } = await house.assign(id);
      const before = await house.standing(id);
      for (const revision of [0, 1, 3]) {
        const stale = { code: "conflict", reason: "PLAN_REVISION_STALE", details: { revision: 2 } };
        await expect(house.assign(id, { revision })).rejects.toMatchObject(stale);
        await expect(house.run(id, assignment.id, { revision })).rejects.toMatchObject(stale);
        const completing = { tenant: TENANT, planId: id, revision, checks: GREEN, now: NOW };
        await expect(house.plans.complete(completing)).rejects.toMatchObject(stale);
      }
      await expect(house.run(id, assignment.id, { generation: 1 })).rejects.toMatchObject({
        ...{ code: "conflict", reason: "ASSIGNMENT_GENERATION_STALE", details: { generation: 0 } },
      });
      expect(await house.standing(id)).toEqual(before);
    });

    it("P8 of runs at the same time one is made, and of assignments at one revision, too", async ({ house }) => {
      const { id } = await house.create();
      const assigned = await Promise.allSettled([1, 2, 3].map(() => house.assign(id, { revision: 1 })));
      expect(assigned.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      const [assignment] = await house.plans.assignments(TENANT, id);
      const command = { revision: 2, generation: 0 };
      const runs = await Promise.allSettled([1, 2, 3].map(() => house.run(id, (assignment as Assignment).id, command)));
      expect(runs.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(await house.tasks()).toHaveLength(1);
      expect((await house.standing(id)).plan?.revision).toBe(3);
    });

    it("P8 is not run while its last run has not ended; afterwards it is run again", async ({ house }) => {
      const { id } = await house.create();
      const { assignment } = await house.assign(id, { invocations: 3 });
      const { child } = await house.run(id, assignment.id);
      const before = await house.standing(id);
      await expect(house.run(id, assignment.id)).rejects.toMatchObject({
        ...{ code: "failed_precondition", reason: "RUN_UNFINISHED", details: { childId: child.id } },
      });
      expect(await house.standing(id)).toEqual(before);
      await house.end(child, "failed");
      const again = await house.run(id, assignment.id);
      expect(again.assignment.runs.map(({ generation, state }) => [generation, state])).toEqual([
        [1, "failed"],
        [2, "pending"],
      ]);
    });

    it("P8 a step waits until what it needs is done: a run that failed is not", async ({ house }) => {
      const { id } = await house.create();
      const read = (await house.assign(id)).assignment.id;
      const judge = (await house.assign(id, { step: "judge" })).assignment.id;
      await expect(house.run(id, judge)).rejects.toMatchObject({ reason: "STEP_NEEDS_OTHERS" });
      await house.end((await house.run(id, read)).child, "failed");
      await expect(house.run(id, judge)).rejects.toMatchObject({ reason: "STEP_NEEDS_OTHERS" });
      await house.end((await house.run(id, read)).child, "completed");
      expect((await house.run(id, judge)).assignment.generation).toBe(1);
    });

    it("P9 each invocation is taken out of both allowances, and none beyond either", async ({ house }) => {
      const { id } = await house.create({ limits: { invocations: 4, tokenUnits: null } });
      const one = (await house.assign(id, { invocations: 3 })).assignment.id;
      const other = (await house.assign(id, { invocations: 3 })).assignment.id;
      const first = (await house.run(id, one)).child.id;
      const taken = await Promise.allSettled(Array.from({ length: 8 }, () => house.take(first)));
      expect(taken.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
      await expect(house.take(first)).rejects.toMatchObject({
        ...{ code: "limit_reached", reason: "ALLOWANCE_USED_UP", retryable: false },
      });
      const second = (await house.run(id, other)).child.id;
      expect(await house.take(second)).toBe(true);
      await expect(house.take(second)).rejects.toMatchObject({ reason: "ALLOWANCE_USED_UP" });
      const { plan, assignments } = await house.standing(id);
      expect(plan?.invocationsUsed).toBe(4);
      expect(assignments.map(({ invocationsUsed }) => invocationsUsed)).toEqual([3, 1]);
      // What is used up is no change of what was planned.
      expect(plan?.revision).toBe(5);
    });

    it("P9 is not run any more when the allowance is used up: its own, or that of the plan", async ({ house }) => {
      const { id } = await house.create({ limits: { invocations: 2, tokenUnits: null } });
      const one = (await house.assign(id, { invocations: 1 })).assignment.id;
      const other = (await house.assign(id, { invocations: 5 })).assignment.id;
      const ran = (await house.run(id, one)).child;
      await house.take(ran.id);
      await house.end(ran, "failed");
      await expect(house.run(id, one)).rejects.toMatchObject({ reason: "ALLOWANCE_USED_UP" });
      const more = (await house.run(id, other)).child;
      await house.take(more.id);
      await house.end(more, "failed");
      await expect(house.run(id, other)).rejects.toMatchObject({ reason: "ALLOWANCE_USED_UP" });
    });

    it("P9 a task that belongs to no planned task is not counted", async ({ house }) => {
      const { id } = await house.create();
      const task = await house.ordinaryTask();
      expect(await house.take(task.id)).toBe(false);
      expect(await house.plans.assignmentOfChild(TENANT, task.id)).toBeNull();
      expect((await house.standing(id)).plan?.invocationsUsed).toBe(0);
    });

    it("P9 the tokens of native runs are bounded by the plan", async ({ house }) => {
      const { id } = await house.create({ limits: { invocations: 9, tokenUnits: 100 } });
      const { assignment } = await house.assign(id, { invocations: 9 });
      const { child } = await house.run(id, assignment.id);
      expect(await house.take(child.id)).toBe(true);
      await house.end(child, "failed", 100);
      await expect(house.take(child.id)).rejects.toMatchObject({ reason: "ALLOWANCE_USED_UP" });
      await expect(house.run(id, assignment.id)).rejects.toMatchObject({ reason: "ALLOWANCE_USED_UP" });
    });

    it("P12 a peer gets analysis only, and only where nobody counts its tokens", async ({ house }) => {
      const peer: Assignee = { runtime: "peer", peer: "reviewer" };
      const { id } = await house.create();
      await expect(house.assign(id, { assignee: peer, profile: BUILDER })).rejects.toMatchObject({
        ...{ code: "failed_precondition", reason: "PROFILE_NOT_ANALYSIS" },
      });
      const bounded = await house.create({ limits: { invocations: 1, tokenUnits: 10 } });
      await expect(house.assign(bounded.id, { assignee: peer })).rejects.toMatchObject({ reason: "TOKENS_UNOBSERVED" });
      await expect(house.assign(id, { step: "absent" })).rejects.toMatchObject({ field: "step" });
      expect(await house.plans.assignments(TENANT, id)).toEqual([]);
      expect((await house.assign(id, { assignee: peer })).assignment.assignee).toEqual(peer);
    });

    it("P13 a run of a peer prepares its dispatch; without a slot of that peer there is neither", async ({ house }) => {
      const { id } = await house.create();
      const peer: Assignee = { runtime: "peer", peer: "reviewer" };
      const [one, other] = [await house.assign(id, { assignee: peer }), await house.assign(id, { assignee: peer })];
      const dispatch = (): NewDispatch => ({
        ...{ peer: "reviewer", runId: newId(), pinDigest: "sha256:pin", slots: 1, deadlineAt: null },
      });
      expect((await house.run(id, one.assignment.id, {}, dispatch())).child.persona).toBe("peer:reviewer");
      const before = await house.standing(id);
      await expect(house.run(id, other.assignment.id, {}, dispatch())).rejects.toMatchObject({
        ...{ code: "limit_reached", reason: "PEER_BUSY" },
      });
      expect(await house.standing(id)).toEqual(before);
      expect(await house.tasks()).toHaveLength(1);
    });

    it("P12 is complete only when each step has a completed run, nothing runs, and all checks are green", async ({
      house,
    }) => {
      const { id } = await house.create();
      await expect(house.complete(id, GREEN)).rejects.toMatchObject({ reason: "STEPS_OPEN" });
      const read = await house.assign(id);
      const judge = await house.assign(id, { step: "judge" });
      await house.end((await house.run(id, read.assignment.id)).child, "completed");
      await expect(house.complete(id, GREEN)).rejects.toMatchObject({ reason: "STEPS_OPEN" });
      const { child } = await house.run(id, judge.assignment.id);
      await expect(house.complete(id, GREEN)).rejects.toMatchObject({ reason: "RUN_UNFINISHED" });
      await house.end(child, "completed");

      const red = await house.complete(id, RED);
      expect(red).toMatchObject({ state: "open", checks: RED, completedAt: null });
      await expect(house.complete(id, GREEN.slice(1))).rejects.toThrow();
      await expect(house.complete(id, [])).rejects.toThrow();
      const done = await house.complete(id, GREEN);
      expect(done).toMatchObject({ state: "completed", checks: GREEN, completedAt: NOW, revision: red.revision + 1 });
      for (const change of [
        () => house.assign(id),
        () => house.run(id, read.assignment.id),
        () => house.complete(id, RED),
      ]) {
        await expect(change()).rejects.toMatchObject({ reason: "PLAN_COMPLETED" });
      }
      expect(await house.plans.plan(TENANT, id)).toEqual(done);
    });

    it("P12 of two that complete it at the same time one does", async ({ house }) => {
      const { id } = await house.done();
      const { revision } = (await house.plans.plan(TENANT, id)) as PlannedTask;
      const command = { tenant: TENANT, planId: id, revision, now: NOW };
      const came = await Promise.allSettled([
        house.plans.complete({ ...command, checks: RED }),
        house.plans.complete({ ...command, checks: GREEN }),
      ]);
      const lost = came.filter((one) => one.status === "rejected");
      expect(lost.map(({ reason }) => reason.reason)).toEqual(["PLAN_REVISION_STALE"]);
      expect((await house.plans.plan(TENANT, id))?.revision).toBe(revision + 1);
    });

    it("what is not there cannot be changed", async ({ house }) => {
      const { id } = await house.create();
      await expect(house.assign(newId(), { revision: 1 })).rejects.toMatchObject({ code: "not_found" });
      await expect(house.run(id, newId(), { revision: 1, generation: 0 })).rejects.toMatchObject({ code: "not_found" });
      expect(await house.plans.tenantOf(newId())).toBeNull();
    });
  });
}

interface Over {
  step: string;
  profile: Profile;
  assignee: Assignee;
  invocations: number;
  revision: number;
}

/** The stores, and short words for what the operator and workers do. */
class House {
  readonly plans: PlanStore;
  readonly ledger: TaskLedger;

  constructor({ plans, ledger }: Stores) {
    this.plans = plans;
    this.ledger = ledger;
  }

  create(
    over: Partial<Plan> = {},
    files: Record<string, string | Uint8Array> = { "a.txt": "a" },
    leftOut: Record<string, string> = {},
    tenant = TENANT,
  ): Promise<PlannedTask> {
    const contents = new Map<string, Uint8Array>();
    const listed: SnapshotFile[] = Object.entries(files).map(([path, content]) => {
      const bytes = Buffer.from(content as string);
      const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
      contents.set(digest, bytes);
      return { path, digest, bytes: bytes.length, leftOut: null };
    });
    for (const [path, why] of Object.entries(leftOut)) listed.push({ path, digest: null, bytes: 0, leftOut: why });
    return this.plans.create({
      ...{ id: newId(), tenant, workspace: "/workspace", snapshotDigest: "sha256:all", contents, now: NOW },
      plan: { ...PLAN, ...over },
      files: listed,
    });
  }

  async assign(planId: string, over: Partial<Over> = {}) {
    return this.plans.assign({
      ...{ tenant: TENANT, planId, id: newId(), step: "read", profile: REVIEWER, invocations: 1, now: NOW },
      assignee: { runtime: "native", persona: "analyst" },
      revision: over.revision ?? (await this.#revision(planId)),
      ...over,
    });
  }

  /** At the revision and generation that it has, unless told otherwise. */
  async run(
    planId: string,
    assignmentId: string,
    over: { revision?: number; generation?: number } = {},
    dispatch?: NewDispatch,
  ) {
    const found = await this.plans.assignment(assignmentId);
    const assignee = found?.assignment.assignee;
    const message = { messageId: newId(), role: "user" as const, parts: [{ text: "do" }] };
    return this.plans.run({
      ...{ tenant: TENANT, planId, assignmentId, now: NOW },
      revision: over.revision ?? (await this.#revision(planId)),
      generation: over.generation ?? found?.assignment.generation ?? 0,
      submit: {
        ...{ id: newId(), contextId: newId(), newContext: true, principal: "operator", trigger: "plan", lane: null },
        ...{ message, bodyHash: newId(), now: NOW, maxAttempts: 1 },
        persona: assignee?.runtime === "peer" ? `peer:${assignee.peer}` : "analyst",
      },
      ...(dispatch !== undefined && { dispatch }),
    });
  }

  take = (childId: string): Promise<boolean> => this.plans.takeInvocation({ tenant: TENANT, childId, now: NOW });

  async complete(planId: string, checks: readonly CheckResult[]): Promise<PlannedTask> {
    return this.plans.complete({ tenant: TENANT, planId, revision: await this.#revision(planId), checks, now: NOW });
  }

  /** One whose steps are all done. */
  async done(): Promise<PlannedTask> {
    const made = await this.create();
    for (const step of ["read", "judge"]) {
      const { assignment } = await this.assign(made.id, { step });
      await this.end((await this.run(made.id, assignment.id)).child, "completed");
    }
    return made;
  }

  /** A worker takes the task and brings it to its end. */
  async end({ id, persona }: Task, how: "completed" | "failed", tokens = 0): Promise<void> {
    const { system } = this.ledger;
    const { claims } = await system.claim({
      ...{ owner: "worker", leaseMs: 60_000, now: NOW, latestRunAt: NOW, limit: 100 },
      personas: [{ tenant: TENANT, name: persona, free: 100 }],
    });
    const claim = claims.find(({ lease }) => lease.taskId === id);
    if (claim === undefined) throw new Error(`${id} could not be claimed`);
    const message = { messageId: newId(), role: "agent" as const, parts: [{ text: how }] };
    await system.settle({
      ...{ lease: claim.lease, now: NOW, start: true, facts: [], steps: [], inputTokens: tokens, outputTokens: 0 },
      artifacts: [],
      outcome:
        how === "completed" ? { type: "completed" } : { type: "failed", message, retryable: false, retryAt: NOW },
    });
  }

  async ordinaryTask(): Promise<Task> {
    const message = { messageId: newId(), role: "user" as const, parts: [{ text: "do" }] };
    const { task } = await this.ledger.forTenant(TENANT).submit({
      ...{ contextId: newId(), persona: "analyst", principal: "user:ann", trigger: "a2a", message, bodyHash: "x" },
      ...{ now: NOW, maxAttempts: 1, lane: null },
    });
    return task;
  }

  async standing(id: string) {
    const [plan, assignments] = [await this.plans.plan(TENANT, id), await this.plans.assignments(TENANT, id)];
    return { plan, assignments, tasks: await this.tasks() };
  }

  async tasks(): Promise<string[]> {
    return (await this.ledger.forTenant(TENANT).list({ limit: 100 })).items.map(({ id }) => id);
  }

  async #revision(planId: string): Promise<number> {
    return (await this.plans.plan(TENANT, planId))?.revision ?? 0;
  }
}
