import { allowanceUsedUp } from "../../plans/refusals.js";
import { run, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { findRunOfChild, holdPlan, listAssignments, requireAssignment } from "./find-plan.js";
import { refuseTokensUsedUp } from "./tokens-of-plan.js";

const takeOfPlan = sql(`UPDATE plans SET invocations_used = invocations_used + 1, updated_at = :now
  WHERE tenant = :tenant AND id = :planId AND invocations_used < invocations`);
const takeOfAssignment = sql(`UPDATE assignments SET invocations_used = invocations_used + 1, updated_at = :now
  WHERE tenant = :tenant AND plan_id = :planId AND id = :assignmentId AND invocations_used < invocations`);

/**
 * One invocation out of both allowances. It is durable before whatever it is taken for begins, so that what fails, is
 * uncertain or is cut off by a crash has been counted. The revision stays: what is used up is no change of what was planned.
 *
 * @returns false for a task that belongs to no planned task
 */
export function* takeInvocation(tenant: string, childId: string, now: number): Steps<boolean> {
  const found = yield* findRunOfChild(tenant, childId);
  if (found === undefined) return false;
  const { plan_id: planId, assignment_id: assignmentId } = found;
  const planned = yield* holdPlan(tenant, planId);
  const { limits } = planned.plan;
  if (limits.tokenUnits !== null) yield* refuseTokensUsedUp(planned, yield* listAssignments(tenant, planId));
  if ((yield* run(takeOfPlan, { tenant, planId, now })) === 0) {
    throw allowanceUsedUp(`planned task ${planId}`, planned.invocationsUsed, limits.invocations);
  }
  if ((yield* run(takeOfAssignment, { tenant, planId, assignmentId, now })) === 0) {
    const { invocationsUsed: used, invocations } = yield* requireAssignment(tenant, planId, assignmentId);
    throw allowanceUsedUp(`assignment ${assignmentId}`, used, invocations);
  }
  return true;
}
