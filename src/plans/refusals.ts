import { NuncioError } from "../shared/errors.js";
import type { Assignee, Assignment } from "./assignment.js";
import type { Plan, PlannedTask, PlanStep } from "./plan.js";
import type { Profile } from "./profile.js";
import { unfinishedRun } from "./runs-so-far.js";

/*
 * Why something may not be done with a planned task. The rules are pure, and asked where the row of the planned task is held:
 * what they looked at is still so when it is written.
 */

export function refuseStaleRevision({ id, revision }: Pick<PlannedTask, "id" | "revision">, seen: number): void {
  if (revision === seen) return;
  throw new NuncioError("conflict", `planned task ${id} is at revision ${revision}, and ${seen} was looked at`, {
    field: "revision",
    reason: "PLAN_REVISION_STALE",
    hint: `nuncio team list ${id}`,
    details: { revision },
  });
}

export function refuseStaleGeneration(
  { id, planId, generation }: { id: string; planId: string; generation: number },
  seen: number,
): void {
  if (generation === seen) return;
  throw new NuncioError("conflict", `assignment ${id} is at generation ${generation}, and ${seen} was looked at`, {
    field: "generation",
    reason: "ASSIGNMENT_GENERATION_STALE",
    hint: `nuncio team list ${planId}`,
    details: { generation },
  });
}

export function refuseCompleted({ id, state }: Pick<PlannedTask, "id" | "state">): void {
  if (state === "open") return;
  throw new NuncioError("failed_precondition", `planned task ${id} is complete`, {
    reason: "PLAN_COMPLETED",
    hint: "prepare another one with `nuncio task create`",
  });
}

/** @throws NuncioError where the plan has no such step */
export function stepOf({ steps }: Plan, step: string): PlanStep {
  const found = steps.find(({ id }) => id === step);
  if (found !== undefined) return found;
  throw new NuncioError("invalid_argument", `the planned task has no step ${JSON.stringify(step)}`, {
    field: "step",
    hint: `its steps: ${steps.map(({ id }) => id).join(", ")}`,
  });
}

/** What may be given to whom: only analysis goes to a peer, and only where nobody counts its tokens. */
export function refuseAssignee(plan: Plan, step: string, profile: Profile, assignee: Assignee): void {
  const { limits } = plan;
  stepOf(plan, step);
  if (assignee.runtime === "native") return;
  if (profile.kind !== "analysis") {
    throw new NuncioError(
      "failed_precondition",
      `${profile.name} is a profile for ${profile.kind}, which no peer does`,
      {
        field: "profile",
        reason: "PROFILE_NOT_ANALYSIS",
        hint: "give a peer a profile of the kind analysis, such as nuncio/reviewer",
      },
    );
  }
  if (limits.tokenUnits !== null) {
    throw new NuncioError("failed_precondition", "the tokens of a peer cannot be observed, and this plan bounds them", {
      field: "runtime",
      reason: "TOKENS_UNOBSERVED",
      hint: "prepare a planned task with `limits: { token_units: null }`",
    });
  }
}

/** @param done the steps that have a completed run */
export function refuseMissingNeeds({ steps }: Plan, step: string, done: ReadonlySet<string>): void {
  const missing = steps.find(({ id }) => id === step)?.needs.filter((need) => !done.has(need)) ?? [];
  if (missing.length === 0) return;
  throw new NuncioError("failed_precondition", `step ${step} needs ${missing.join(", ")}, not done so far`, {
    reason: "STEP_NEEDS_OTHERS",
    hint: `run ${missing[0]} first`,
  });
}

/** @param done the steps that have a completed run */
export function refuseOpenSteps({ steps }: Plan, done: ReadonlySet<string>): void {
  const open = steps.filter(({ id }) => !done.has(id)).map(({ id }) => id);
  if (open.length === 0) return;
  throw new NuncioError("failed_precondition", `steps without a completed run: ${open.join(", ")}`, {
    reason: "STEPS_OPEN",
    hint: `assign and run ${open[0]} first`,
  });
}

export function refuseUnfinished(assignments: readonly Pick<Assignment, "runs">[]): void {
  const childId = assignments.map(unfinishedRun).find((id) => id !== null);
  if (childId === undefined) return;
  throw new NuncioError("failed_precondition", `its run ${childId} has not ended`, {
    reason: "RUN_UNFINISHED",
    hint: `nuncio task show ${childId}, or cancel it`,
    details: { childId },
  });
}

/** What an assignment may use is in its own allowance and in that of the whole plan: either may end first. */
export function refuseUsedUp(
  { id, plan: { limits }, invocationsUsed }: Pick<PlannedTask, "id" | "plan" | "invocationsUsed">,
  assignment: Pick<Assignment, "id" | "invocations" | "invocationsUsed">,
): void {
  if (assignment.invocationsUsed >= assignment.invocations) {
    throw allowanceUsedUp(`assignment ${assignment.id}`, assignment.invocationsUsed, assignment.invocations);
  }
  if (invocationsUsed >= limits.invocations) {
    throw allowanceUsedUp(`planned task ${id}`, invocationsUsed, limits.invocations);
  }
}

export const allowanceUsedUp = (whose: string, used: number, allowed: number, what = "invocations"): NuncioError =>
  new NuncioError("limit_reached", `the allowance of ${whose} is used up: ${used} of ${allowed} ${what}`, {
    reason: "ALLOWANCE_USED_UP",
    hint: "assign the step once more (nuncio team assign), or create another planned task when its own limit is used up",
    retryable: false,
    details: { used, allowed },
  });
