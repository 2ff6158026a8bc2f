import type { Assignment, AssignmentRun } from "../../plans/assignment.js";
import type { CheckResult, Plan, PlannedTask, PlanState } from "../../plans/plan.js";
import type { Profile } from "../../plans/profile.js";
import type { TaskState } from "../../tasks/task-state.js";

export interface PlanRow {
  tenant: string;
  id: string;
  revision: number;
  state: PlanState;
  title: string;
  plan: string;
  workspace: string;
  snapshot_digest: string;
  invocations: number;
  invocations_used: number;
  token_units: number | null;
  checks: string | null;
  created_at: number;
  updated_at: number;
  completed_at: number | null;
}

export const PLAN_COLUMNS = `tenant, id, revision, state, title, plan, workspace, snapshot_digest, invocations, invocations_used,
  token_units, checks, created_at, updated_at, completed_at`;

export const toPlan = (row: PlanRow): PlannedTask => ({
  id: row.id,
  tenant: row.tenant,
  revision: row.revision,
  state: row.state,
  plan: JSON.parse(row.plan) as Plan,
  workspace: row.workspace,
  snapshotDigest: row.snapshot_digest,
  invocationsUsed: row.invocations_used,
  checks: row.checks === null ? null : (JSON.parse(row.checks) as CheckResult[]),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  completedAt: row.completed_at,
});

export interface AssignmentRow {
  tenant: string;
  plan_id: string;
  id: string;
  step: string;
  profile: string;
  persona: string | null;
  peer: string | null;
  invocations: number;
  invocations_used: number;
  generation: number;
  created_at: number;
  updated_at: number;
}

export const ASSIGNMENT_COLUMNS = `tenant, plan_id, id, step, profile, persona, peer, invocations, invocations_used, generation,
  created_at, updated_at`;

export interface RunRow {
  assignment_id: string;
  generation: number;
  child_id: string;
  grant_id: string | null;
  at: number;
  state: TaskState | null;
}

export const toAssignment = (row: AssignmentRow, runs: readonly RunRow[]): Assignment => ({
  id: row.id,
  tenant: row.tenant,
  planId: row.plan_id,
  step: row.step,
  profile: JSON.parse(row.profile) as Profile,
  assignee:
    row.peer === null ? { runtime: "native", persona: row.persona as string } : { runtime: "peer", peer: row.peer },
  invocations: row.invocations,
  invocationsUsed: row.invocations_used,
  generation: row.generation,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  runs: runs.filter(({ assignment_id }) => assignment_id === row.id).map(toRun),
});

const toRun = (row: RunRow): AssignmentRun => ({
  generation: row.generation,
  childId: row.child_id,
  grantId: row.grant_id,
  at: row.at,
  state: row.state,
});
