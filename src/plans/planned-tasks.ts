import { operator } from "../access/principal.js";
import type { Clock } from "../shared/clock.js";
import { NuncioError, notFound } from "../shared/errors.js";
import { newId } from "../shared/ids.js";
import { bodyHash } from "../tasks/body-hash.js";
import type { Page, QueueBounds, Submit } from "../tasks/ledger.js";
import type { Task } from "../tasks/task.js";
import { type Assignment, peerPersona } from "./assignment.js";
import { profileOf } from "./built-in-profiles.js";
import type { CheckResult, Plan, PlanCheck, PlannedTask, SnapshotFile } from "./plan.js";
import type { PlanStore } from "./plan-store.js";
import type { Profile } from "./profile.js";
import { refuseCompleted, refuseOpenSteps, refuseStaleRevision, refuseUnfinished } from "./refusals.js";
import { stepsDone } from "./runs-so-far.js";
import { takeSnapshot } from "./snapshot/take-snapshot.js";
import { refuseStepFiles } from "./step-files.js";
import { workFiles } from "./work-files.js";
import { type Work, type WorkMarks, workMessage } from "./work-message.js";
import { assigneeOf, dispatchTo, refuseAbsent, type Workforce } from "./workforce.js";

/** A plan file as it was read, with what is left out of the snapshot besides. */
export interface PlanFile {
  plan: Plan;
  ignore: readonly string[];
}

export interface PlannedTasksParts extends Workforce {
  store: PlanStore;
  clock: Clock;
  /** Text to plan, with errors that say where. */
  parsePlan(text: string, file: string): PlanFile;
  /** The operator's own. */
  profiles(): readonly Profile[];
  runCheck(check: PlanCheck, workspace: string, signal: AbortSignal): Promise<CheckResult>;
  /** Paths that no snapshot holds. */
  excluded: readonly string[];
  fence: WorkMarks["fence"];
  newNonce(): string;
  newTasks(): { maxAttempts: number; bounds: QueueBounds };
}

export interface PlannedTaskDetail {
  plan: PlannedTask;
  assignments: Assignment[];
  files: SnapshotFile[];
}

export interface NewAssignment {
  planId: string;
  step: string;
  profile: string;
  /** `native`, or the name of a pinned peer. */
  runtime: string;
  /** For `native`: instead of the persona that the step names. */
  persona?: string | undefined;
  invocations: number;
  revision: number;
}

export interface NewRun {
  planId: string;
  assignmentId: string;
  generation: number;
  revision: number;
  /** How long we wait for a peer. */
  deadlineMs?: number | undefined;
}

/** What the operator does with planned tasks. */
export class PlannedTasks {
  readonly #parts: PlannedTasksParts;
  /** Whose checks run in this process. */
  readonly #completing = new Set<string>();

  constructor(parts: PlannedTasksParts) {
    this.#parts = parts;
  }

  async create(request: { text: string; file: string; workspace: string; tenant: string }): Promise<PlannedTaskDetail> {
    const { parsePlan, store, clock, excluded } = this.#parts;
    const { plan, ignore } = parsePlan(request.text, request.file);
    const { workspace, digest, files, contents } = await takeSnapshot({
      workspace: request.workspace,
      ignore,
      excluded,
    });
    refuseStepFiles(plan, files);
    const { tenant } = request;
    const made = await store.create({
      ...{ id: newId(), tenant, plan, workspace, files, contents },
      snapshotDigest: digest,
      now: clock.now(),
    });
    return { plan: made, assignments: [], files };
  }

  async assign(request: NewAssignment): Promise<{ plan: PlannedTask; assignment: Assignment }> {
    const { store, clock, profiles } = this.#parts;
    const { planId, step, invocations, revision } = request;
    const planned = await this.#planOf(planId);
    return store.assign({
      tenant: planned.tenant,
      ...{ planId, revision, step, invocations },
      id: newId(),
      profile: profileOf(request.profile, profiles()),
      assignee: assigneeOf(planned, request, this.#parts),
      now: clock.now(),
    });
  }

  async run(request: NewRun): Promise<{ plan: PlannedTask; assignment: Assignment; child: Task }> {
    const { store, clock } = this.#parts;
    const { planId, assignmentId, generation, revision } = request;
    const planned = await this.#planOf(planId);
    const { tenant } = planned;
    const found = await store.assignment(assignmentId);
    if (found === null || found.plan.id !== planId) {
      throw notFound("assignment", assignmentId, `\`nuncio team list ${planId}\` shows the assignments`);
    }
    const now = clock.now();
    refuseAbsent(tenant, found.assignment.assignee, this.#parts);
    const dispatch = dispatchTo(found.assignment.assignee, request.deadlineMs, now, this.#parts);
    const submit = await this.submission(planned, found.assignment, { now });
    return store.run({
      ...{ tenant, planId, assignmentId, generation, revision, submit, now },
      ...(dispatch !== undefined && { dispatch }),
    });
  }

  /**
   * What is submitted for a run: the work as the operator has prepared it, with what a peer said that spends a grant. A
   * peer gets no file by it: what it may see stands in its pin.
   */
  async submission(
    planned: PlannedTask,
    assignment: Assignment,
    { now, said }: { now: number; said?: Work["said"] },
  ): Promise<Submit> {
    const { store, newTasks, newNonce, fence } = this.#parts;
    const { assignee, profile } = assignment;
    const step = planned.plan.steps.find(({ id }) => id === assignment.step);
    if (step === undefined) throw new Error(`assignment ${assignment.id} is of no step`);
    const native = assignee.runtime === "native";
    const files = native ? await workFiles(store, planned, step.files) : [];
    const work: Work = { instruction: step.instruction, profile, files, ...(said !== undefined && { said }) };
    const message = workMessage(work, { messageId: newId(), nonce: newNonce(), fence });
    return {
      id: newId(),
      contextId: newId(),
      newContext: true,
      persona: native ? assignee.persona : peerPersona(assignee.peer),
      principal: operator.subject,
      trigger: "plan",
      message,
      bodyHash: bodyHash(message),
      now,
      lane: null,
      ...newTasks(),
    };
  }

  /** The planned task of an id, with everything about it. */
  async show(planId: string): Promise<PlannedTaskDetail> {
    const { store } = this.#parts;
    const plan = await this.#planOf(planId);
    const [assignments, files] = await Promise.all([
      store.assignments(plan.tenant, planId),
      store.files(plan.tenant, planId),
    ]);
    return { plan, assignments, files };
  }

  list(query: { tenant?: string; limit: number; cursor?: string }): Promise<Page<PlannedTask>> {
    return this.#parts.store.plans(query);
  }

  /** The planned task that a task was made for: as a run of it, or by delegation from one. Null for others. */
  async planOf({ tenant, rootId }: Pick<Task, "tenant" | "rootId">): Promise<string | null> {
    return (await this.#parts.store.assignmentOfChild(tenant, rootId))?.plan.id ?? null;
  }

  /** Complete or not; what its runs have made stays. */
  async purge(planId: string): Promise<void> {
    const { store, clock } = this.#parts;
    const { tenant } = await this.#planOf(planId);
    await store.purge({ tenant, planId, now: clock.now() });
  }

  async exists(planId: string): Promise<boolean> {
    return (await this.#parts.store.tenantOf(planId)) !== null;
  }

  /**
   * Runs the checks one after the other, all of them, and records what they came to. Whoever leaves ends the check that
   * runs, and nothing is recorded; nor is it when we die in here.
   */
  async *complete(
    request: { planId: string; revision: number },
    signal: AbortSignal,
  ): AsyncGenerator<{ check: CheckResult } | { plan: PlannedTask }, void> {
    const { store, clock, runCheck } = this.#parts;
    const { planId, revision } = request;
    const { tenant, workspace, plan } = await this.refuseToComplete(planId, revision);
    // Two that were asked for at the same time have both come so far.
    if (this.#completing.has(planId)) throw beingCompleted(planId);
    this.#completing.add(planId);
    try {
      const checks: CheckResult[] = [];
      for (const check of plan.checks) {
        const result = await runCheck(check, workspace, signal);
        signal.throwIfAborted();
        checks.push(result);
        yield { check: result };
      }
      yield { plan: await store.complete({ tenant, planId, revision, checks, now: clock.now() }) };
    } finally {
      this.#completing.delete(planId);
    }
  }

  /** Says before any check runs why none needs to; the store says it again when they have. */
  async refuseToComplete(planId: string, revision: number): Promise<PlannedTask> {
    const { plan, assignments } = await this.show(planId);
    refuseStaleRevision(plan, revision);
    refuseCompleted(plan);
    refuseUnfinished(assignments);
    refuseOpenSteps(plan.plan, stepsDone(assignments));
    if (this.#completing.has(planId)) throw beingCompleted(planId);
    return plan;
  }

  async #planOf(planId: string): Promise<PlannedTask> {
    const { store } = this.#parts;
    const tenant = await store.tenantOf(planId);
    const plan = tenant === null ? null : await store.plan(tenant, planId);
    if (plan === null) throw notFound("planned task", planId, "`nuncio team list` shows the planned tasks");
    return plan;
  }
}

const beingCompleted = (planId: string): NuncioError =>
  new NuncioError("conflict", `the checks of planned task ${planId} are running already`, {
    reason: "PLAN_BEING_COMPLETED",
    hint: `nuncio team list ${planId}`,
  });
