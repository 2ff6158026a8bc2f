import type { Assignment } from "../../plans/assignment.js";
import type { PlannedTask } from "../../plans/plan.js";
import { allowanceUsedUp } from "../../plans/refusals.js";
import { tokensOfRoot } from "../ledger/tokens.js";
import type { Steps } from "../sql/command.js";

/** Nothing is summed up for a plan that does not bound them. */
export function* refuseTokensUsedUp(
  { id, tenant, plan: { limits } }: Pick<PlannedTask, "id" | "tenant" | "plan">,
  assignments: readonly Assignment[],
): Steps<void> {
  if (limits.tokenUnits === null) return;
  const tokens = yield* tokensOfPlan(tenant, assignments);
  if (tokens >= limits.tokenUnits) throw allowanceUsedUp(`planned task ${id}`, tokens, limits.tokenUnits, "tokens");
}

/** Of the native runs, with everything that was delegated from them; what peers use cannot be observed. */
function* tokensOfPlan(tenant: string, assignments: readonly Assignment[]): Steps<number> {
  let tokens = 0;
  for (const { assignee, runs } of assignments) {
    if (assignee.runtime === "peer") continue;
    for (const { childId } of runs) tokens += yield* tokensOfRoot(tenant, childId);
  }
  return tokens;
}
