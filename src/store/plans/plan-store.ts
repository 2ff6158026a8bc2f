import type { PlanStore } from "../../plans/plan-store.js";
import type { QueueRoom } from "../ledger/queue-room.js";
import type { Database } from "../sql-ledger.js";
import { assign } from "./assign.js";
import { completePlan } from "./complete-plan.js";
import { createPlan } from "./create-plan.js";
import { findAssigned, findAssignedOfChild, findPlan, findTenantOfPlan, listAssignments } from "./find-plan.js";
import { takeInvocation } from "./invocations.js";
import { listFiles, listPlans, loadContent } from "./list-plans.js";
import { purgeOldPlans, purgePlan } from "./purge-plan.js";
import { startRun } from "./run-assignment.js";

/** @param room of the ledger on the same database: a run takes a place in the queue like every other task */
export function sqlPlanStore({ write, read }: Pick<Database, "write" | "read">, room: QueueRoom): PlanStore {
  return {
    create: (command) => write(createPlan(command)),
    assign: (command) => write(assign(command)),
    run: (command) => write((effects) => startRun({ ...command, grantId: null }, room, effects)),
    complete: (command) => write(completePlan(command)),
    purge: (command) => write(purgePlan(command)),
    purgeOld: (command) => write(purgeOldPlans(command)),
    takeInvocation: ({ tenant, childId, now }) => write(() => takeInvocation(tenant, childId, now)),
    tenantOf: (planId) => read(() => findTenantOfPlan(planId)),
    assignment: (id) => read(() => findAssigned(id)),
    assignmentOfChild: (tenant, childId) => read(() => findAssignedOfChild(tenant, childId)),
    plan: (tenant, id) => read(() => findPlan(tenant, id)),
    plans: (query) => read(() => listPlans(query)),
    assignments: (tenant, planId) => read(() => listAssignments(tenant, planId)),
    files: (tenant, planId) => read(() => listFiles(tenant, planId)),
    content: (tenant, planId, path) => read(() => loadContent(tenant, planId, path)),
  };
}
