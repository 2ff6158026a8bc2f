import type { Assignment } from "../../plans/assignment.js";
import type { PlannedTask } from "../../plans/plan.js";
import type { PlannedTaskDetail } from "../../plans/planned-tasks.js";
import { stepsDone, unfinishedRun } from "../../plans/runs-so-far.js";
import type { ControlDeps } from "./deps.js";
import { toOptionalTimestamp, toTimestamp } from "./schema/fields.js";
import type { AssignmentJson, PlannedTaskJson, PlannedTaskSummary } from "./schema/planned-task.js";

export const plannedSummaryOf = (planned: PlannedTask): PlannedTaskSummary => ({
  id: planned.id,
  tenant: planned.tenant,
  title: planned.plan.title,
  state: planned.state,
  revision: planned.revision,
  workspace: planned.workspace,
  snapshotDigest: planned.snapshotDigest,
  invocations: { allowed: planned.plan.limits.invocations, used: planned.invocationsUsed },
  tokenUnits: planned.plan.limits.tokenUnits,
  createdAt: toTimestamp(planned.createdAt),
  updatedAt: toTimestamp(planned.updatedAt),
  completedAt: toOptionalTimestamp(planned.completedAt),
});

export async function plannedDetailOf(
  { plan: planned, assignments, files }: PlannedTaskDetail,
  deps: ControlDeps,
): Promise<PlannedTaskJson> {
  const done = stepsDone(assignments);
  const running = new Set(assignments.filter((one) => unfinishedRun(one) !== null).map(({ step }) => step));
  const stateOf = (step: string) => (running.has(step) ? "running" : done.has(step) ? "done" : "open");
  return {
    ...plannedSummaryOf(planned),
    steps: planned.plan.steps.map(({ id, instruction, files, needs, persona }) => ({
      ...{ id, instruction, files: [...files], needs: [...needs] },
      persona: persona ?? null,
      state: stateOf(id),
    })),
    checks: planned.plan.checks.map(({ args, ...check }) => ({ ...check, args: [...args] })),
    lastChecks: planned.checks === null ? null : [...planned.checks],
    assignments: await Promise.all(assignments.map((one) => assignmentJson(one, deps))),
    snapshot: {
      digest: planned.snapshotDigest,
      admitted: files.flatMap(({ path, digest, bytes }) => (digest === null ? [] : [{ path, digest, bytes }])),
      leftOut: files.flatMap(({ path, bytes, leftOut }) =>
        leftOut === null ? [] : [{ path, reason: leftOut, bytes }],
      ),
    },
  };
}

export async function assignmentJson(assignment: Assignment, deps: ControlDeps): Promise<AssignmentJson> {
  const { assignee, profile } = assignment;
  const { modelRequests, tokens } = await observed(assignment, deps);
  return {
    id: assignment.id,
    plannedTaskId: assignment.planId,
    step: assignment.step,
    profile: { ...profile },
    runtime: assignee.runtime === "native" ? "native" : assignee.peer,
    persona: assignee.runtime === "native" ? assignee.persona : null,
    peer: assignee.runtime === "peer" ? assignee.peer : null,
    generation: assignment.generation,
    invocations: { allowed: assignment.invocations, used: assignment.invocationsUsed },
    ...{ modelRequests, tokens },
    unobserved: [
      ...(modelRequests === null ? (["modelRequests"] as const) : []),
      ...(tokens === null ? (["tokens"] as const) : []),
      ...(assignee.runtime === "peer" ? (["processes"] as const) : []),
    ],
    runs: assignment.runs.map(({ at, ...run }) => ({ ...run, at: toTimestamp(at) })),
    createdAt: toTimestamp(assignment.createdAt),
    updatedAt: toTimestamp(assignment.updatedAt),
  };
}

/**
 * What its runs have asked of models. Inside of a peer nobody looks, nor inside of a program that is run as a persona; nor is
 * anything known of a persona that is hosted no more, or of a task that was purged.
 */
async function observed(
  { tenant, assignee, invocationsUsed, runs }: Assignment,
  { ledger, personas }: ControlDeps,
): Promise<{ modelRequests: number | null; tokens: number | null }> {
  const unobserved = { modelRequests: null, tokens: null };
  if (assignee.runtime === "peer") return unobserved;
  const type = personas.get(tenant, assignee.persona)?.runtime.type;
  if (type === undefined || type === "command" || runs.some(({ state }) => state === null)) return unobserved;
  const tokens = await Promise.all(runs.map(({ childId }) => ledger.forTenant(tenant).tokensOfRoot(childId)));
  return { modelRequests: invocationsUsed, tokens: tokens.reduce((sum, each) => sum + each, 0) };
}
