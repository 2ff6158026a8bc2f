import type { Assignment } from "../../plans/assignment.js";
import { tokensOfRoot } from "../ledger/tokens.js";
import type { Steps } from "../sql/command.js";

/** Of the native runs, with everything that was delegated from them; what peers use cannot be observed. */
export function* tokensOfPlan(tenant: string, assignments: readonly Assignment[]): Steps<number> {
  let tokens = 0;
  for (const { assignee, runs } of assignments) {
    if (assignee.runtime === "peer") continue;
    for (const { childId } of runs) tokens += yield* tokensOfRoot(tenant, childId);
  }
  return tokens;
}
