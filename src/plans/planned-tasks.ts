import { operator } from "../access/principal.js";
import type { Clock } from "../shared/clock.js";
import { invalidArgument, NuncioError, notFound } from "../shared/errors.js";
import { newId } from "../shared/ids.js";
import { bodyHash } from "../tasks/body-hash.js";
import type { Page, QueueBounds, Submit } from "../tasks/ledger.js";
import type { Task } from "../tasks/task.js";
import { type Assignee, type Assignment, peerPersona } from "./assignment.js";
import { BUILT_IN_PROFILES } from "./built-in-profiles.js";
import type { CheckResult, Plan, PlanCheck, PlannedTask, SnapshotFile } from "./plan.js";
import type { NewDispatch, PlanStore } from "./plan-store.js";
import type { Profile } from "./profile.js";
import { refuseCompleted, refuseOpenSteps, refuseStaleRevision, refuseUnfinished, stepOf } from "./refusals.js";
import { stepsDone } from "./runs-so-far.js";
import { takeSnapshot } from "./snapshot/take-snapshot.js";
import { refuseStepFiles } from "./step-files.js";
import { type Work, type WorkMarks, workMessage } from "./work-message.js";

/** A plan file as it was read, with what is left out of the snapshot besides. */
export interface PlanFile {
  plan: Plan;
  ignore: readonly string[];
}

export interface PlannedTasksParts {
  store: PlanStore;
  clock: Clock;
  /** Text to plan, with errors that say where. */
  parsePlan(text: string, file: string): PlanFile;
  /** The operator's own. */
  profiles(): readonly Profile[];
  hosts(tenant: string, persona: string): boolean;
  /** A pinned peer; undefined when there is none of that name. */
  peerOf(name: string): { pinDigest: string; slots: number } | undefined;
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
    const { store, clock } = this.#parts;
    const { planId, step, invocations, revision } = request;
    const planned = await this.#planOf(planId);
    return store.assign({
      tenant: planned.tenant,
      ...{ planId, revision, step, invocations },
      id: newId(),
      profile: this.#profile(request.profile),
      assignee: this.#assignee(planned, request),
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
    this.#refuseAbsent(tenant, found.assignment.assignee);
    const dispatch = this.#dispatch(found.assignment.assignee, request.deadlineMs, now);
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
    const { newTasks, newNonce, fence } = this.#parts;
    const { assignee, profile } = assignment;
    const step = planned.plan.steps.find(({ id }) => id === assignment.step);
    if (step === undefined) throw new Error(`assignment ${assignment.id} is of no step`);
    const native = assignee.runtime === "native";
    const files = native ? await this.#workFiles(planned, step.files) : [];
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

  #profile(name: string): Profile {
    const known = [...BUILT_IN_PROFILES, ...this.#parts.profiles()];
    const found = known.find((profile) => profile.name === name);
    if (found !== undefined) return found;
    throw invalidArgument("profile", `there is no profile ${JSON.stringify(name)}`, {
      hint: `profiles: ${known.map((profile) => profile.name).join(", ")}`,
    });
  }

  #assignee({ tenant, plan }: PlannedTask, { step, runtime, persona }: NewAssignment): Assignee {
    const { hosts, peerOf } = this.#parts;
    if (runtime !== "native") {
      if (peerOf(runtime) === undefined) {
        throw invalidArgument("runtime", `no peer ${JSON.stringify(runtime)} is pinned`, {
          hint: "use native for a persona; `nuncio a2a peers` shows the pinned peers",
        });
      }
      if (persona !== undefined) throw invalidArgument("persona", "a peer does it: no persona can be named");
      return { runtime: "peer", peer: runtime };
    }
    const name = persona ?? stepOf(plan, step).persona;
    if (name === undefined) {
      throw invalidArgument("persona", `step ${JSON.stringify(step)} names no persona`, {
        hint: "name one with --persona",
      });
    }
    if (!hosts(tenant, name)) {
      throw invalidArgument("persona", `persona ${JSON.stringify(name)} is not hosted in tenant ${tenant}`, {
        hint: "`nuncio persona list` shows the personas",
      });
    }
    return { runtime: "native", persona: name };
  }

  /** The configuration may have changed since it was assigned: nobody would ever take the task. */
  #refuseAbsent(tenant: string, assignee: Assignee): void {
    if (assignee.runtime === "peer" || this.#parts.hosts(tenant, assignee.persona)) return;
    const { persona } = assignee;
    throw new NuncioError("failed_precondition", `persona ${JSON.stringify(persona)} is hosted here no more`, {
      reason: "PERSONA_NOT_HOSTED",
      hint: "assign the step to another one; `nuncio persona list` shows the personas",
    });
  }

  #dispatch(assignee: Assignee, deadlineMs: number | undefined, now: number): NewDispatch | undefined {
    if (assignee.runtime === "native") {
      if (deadlineMs === undefined) return undefined;
      throw invalidArgument("deadline", "a deadline is for peers; a persona's own settings bound its runs");
    }
    const { peer } = assignee;
    const pinned = this.#parts.peerOf(peer);
    if (pinned === undefined) {
      throw new NuncioError("failed_precondition", `peer ${JSON.stringify(peer)} is pinned no more`, {
        reason: "PEER_NOT_PINNED",
        hint: "`nuncio a2a peers` shows the pinned peers",
      });
    }
    const deadlineAt = deadlineMs === undefined ? null : now + deadlineMs;
    return { peer, runId: newId(), pinDigest: pinned.pinDigest, slots: pinned.slots, deadlineAt };
  }

  async #workFiles({ id, tenant }: PlannedTask, paths: readonly string[]): Promise<Work["files"]> {
    if (paths.length === 0) return [];
    const { store } = this.#parts;
    const files = await store.files(tenant, id);
    return Promise.all(
      paths.map(async (path) => {
        const file = files.find((one) => one.path === path);
        const content = await store.content(tenant, id, path);
        if (file === undefined || file.digest === null || content === null) {
          throw new Error(`the snapshot of planned task ${id} has lost a file`);
        }
        return { path, digest: file.digest, bytes: file.bytes, content };
      }),
    );
  }
}

const beingCompleted = (planId: string): NuncioError =>
  new NuncioError("conflict", `the checks of planned task ${planId} are running already`, {
    reason: "PLAN_BEING_COMPLETED",
    hint: `nuncio team list ${planId}`,
  });
