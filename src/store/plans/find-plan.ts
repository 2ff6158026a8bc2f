import type { Assignment } from "../../plans/assignment.js";
import type { PlannedTask } from "../../plans/plan.js";
import { notFound } from "../../shared/errors.js";
import { all, one, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import {
  ASSIGNMENT_COLUMNS,
  type AssignmentRow,
  PLAN_COLUMNS,
  type PlanRow,
  type RunRow,
  toAssignment,
  toPlan,
} from "./plan-row.js";

const byId = sql<PlanRow>(`SELECT ${PLAN_COLUMNS} FROM plans WHERE tenant = :tenant AND id = :planId`);
/** Everything that is written of a planned task is written by who holds this row. */
const held = sql<PlanRow>(`SELECT ${PLAN_COLUMNS} FROM plans WHERE tenant = :tenant AND id = :planId FOR UPDATE`);
const tenantOfPlan = sql<{ tenant: string }>("SELECT tenant FROM plans WHERE id = :planId");

const assignmentById = sql<AssignmentRow>(`SELECT ${ASSIGNMENT_COLUMNS} FROM assignments
  WHERE tenant = :tenant AND plan_id = :planId AND id = :id`);
const planOfAssignment = sql<{ tenant: string; plan_id: string }>(
  "SELECT tenant, plan_id FROM assignments WHERE id = :id",
);
const assignmentsOfPlan = sql<AssignmentRow>(`SELECT ${ASSIGNMENT_COLUMNS} FROM assignments
  WHERE tenant = :tenant AND plan_id = :planId ORDER BY id`);

const runsOfPlan = sql<RunRow>(`SELECT r.assignment_id, r.generation, r.child_id, r.grant_id, r.at, t.state
  FROM assignment_runs r LEFT JOIN tasks t ON t.tenant = r.tenant AND t.id = r.child_id
  WHERE r.tenant = :tenant AND r.plan_id = :planId ORDER BY r.assignment_id, r.generation`);
const runOfChild = sql<{ plan_id: string; assignment_id: string }>(`SELECT plan_id, assignment_id FROM assignment_runs
  WHERE tenant = :tenant AND child_id = :childId`);

export interface Assigned {
  plan: PlannedTask;
  assignment: Assignment;
}

export function* findPlan(tenant: string, planId: string): Steps<PlannedTask | null> {
  const row = yield* one(byId, { tenant, planId });
  return row === undefined ? null : toPlan(row);
}

export function* holdPlan(tenant: string, planId: string): Steps<PlannedTask> {
  const row = yield* one(held, { tenant, planId });
  if (row === undefined) throw notFound("planned task", planId, "`nuncio team list` shows the planned tasks");
  return toPlan(row);
}

export function* findTenantOfPlan(planId: string): Steps<string | null> {
  return (yield* one(tenantOfPlan, { planId }))?.tenant ?? null;
}

export function* listAssignments(tenant: string, planId: string): Steps<Assignment[]> {
  const rows = yield* all(assignmentsOfPlan, { tenant, planId });
  const runs = yield* all(runsOfPlan, { tenant, planId });
  return rows.map((row) => toAssignment(row, runs));
}

function* findAssignment(tenant: string, planId: string, id: string): Steps<Assignment | null> {
  const row = yield* one(assignmentById, { tenant, planId, id });
  return row === undefined ? null : toAssignment(row, yield* all(runsOfPlan, { tenant, planId }));
}

export function* requireAssignment(tenant: string, planId: string, id: string): Steps<Assignment> {
  const assignment = yield* findAssignment(tenant, planId, id);
  if (assignment === null) throw notFound("assignment", id, `\`nuncio team list ${planId}\` shows the assignments`);
  return assignment;
}

/** For the operator, who names only an id. */
export function* findAssigned(id: string): Steps<Assigned | null> {
  const place = yield* one(planOfAssignment, { id });
  return place === undefined ? null : yield* assigned(place.tenant, place.plan_id, id);
}

/** Null for a task that belongs to no planned task. */
export function* findAssignedOfChild(tenant: string, childId: string): Steps<Assigned | null> {
  const run = yield* one(runOfChild, { tenant, childId });
  return run === undefined ? null : yield* assigned(tenant, run.plan_id, run.assignment_id);
}

/** The planned task and the assignment that a task runs, by their ids. */
export const findRunOfChild = (
  tenant: string,
  childId: string,
): Steps<{ plan_id: string; assignment_id: string } | undefined> => one(runOfChild, { tenant, childId });

function* assigned(tenant: string, planId: string, id: string): Steps<Assigned | null> {
  const plan = yield* findPlan(tenant, planId);
  const assignment = yield* findAssignment(tenant, planId, id);
  return plan === null || assignment === null ? null : { plan, assignment };
}
