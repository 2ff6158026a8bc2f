import { NuncioError } from "../shared/errors.js";
import type { Assignment } from "./assignment.js";
import type { PlannedTask } from "./plan.js";
import { refuseCompleted, refuseUnfinished, refuseUsedUp } from "./refusals.js";

/**
 * Whether an assignment may be done for an outside peer. Asked when a grant is made, and again when it is spent: between the
 * two, weeks may pass.
 */
export function refuseInadmissible(planned: PlannedTask, assignment: Assignment): void {
  const { id, profile, assignee } = assignment;
  if (assignee.runtime !== "native") {
    throw inadmissible(`assignment ${id} is for peer ${assignee.peer}`, "ASSIGNMENT_NOT_NATIVE", "assign it natively");
  }
  if (profile.kind !== "analysis") {
    throw inadmissible(
      `${profile.name} is a profile for ${profile.kind}`,
      "PROFILE_NOT_ANALYSIS",
      "assign the step with a profile of the kind analysis, such as nuncio/reviewer",
    );
  }
  const { length } = planned.plan.steps;
  if (length !== 1) {
    throw inadmissible(
      `planned task ${planned.id} has ${length} steps`,
      "PLAN_NOT_SINGLE_STEP",
      "prepare a planned task of its own for the peer, with the one step that it may ask for",
    );
  }
  refuseCompleted(planned);
  refuseUnfinished([assignment]);
  refuseUsedUp(planned, assignment);
}

/** Nothing but analysis by a persona of ours, in a plan of that one step, is ever exposed. */
const inadmissible = (what: string, reason: string, hint: string): NuncioError =>
  new NuncioError("failed_precondition", `${what}, which no outside peer can be let in for`, {
    field: "assignment",
    reason,
    hint,
  });
