import type { PlannedTask } from "../../plans/plan.js";
import type { CompletePlan } from "../../plans/plan-store.js";
import { refuseCompleted, refuseOpenSteps, refuseStaleRevision, refuseUnfinished } from "../../plans/refusals.js";
import { stepsDone } from "../../plans/runs-so-far.js";
import { NuncioError } from "../../shared/errors.js";
import { type Command, run } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { holdPlan, listAssignments } from "./find-plan.js";

const record = sql(`UPDATE plans SET revision = revision + 1, state = :state, checks = :checks, updated_at = :now,
    completed_at = :completedAt
  WHERE tenant = :tenant AND id = :planId`);

/**
 * What the checks came to, and with all of them green that the planned task is complete. They were run at the revision that
 * is named: when anything has changed since, nothing is recorded.
 */
export const completePlan: (command: CompletePlan) => Command<PlannedTask> = (command) =>
  function* () {
    const { tenant, planId, checks, now } = command;
    const plan = yield* holdPlan(tenant, planId);
    refuseStaleRevision(plan, command.revision);
    refuseCompleted(plan);
    const assignments = yield* listAssignments(tenant, planId);
    refuseUnfinished(assignments);
    refuseOpenSteps(plan.plan, stepsDone(assignments));
    refuseOtherChecks(plan, command);
    const green = checks.every((check) => check.green);
    yield* run(record, {
      ...{ tenant, planId, now },
      state: green ? "completed" : "open",
      checks: JSON.stringify(checks),
      completedAt: green ? now : null,
    });
    return yield* holdPlan(tenant, planId);
  };

/** Green is what the plan asks for, every check of it. */
function refuseOtherChecks({ plan }: PlannedTask, { checks }: CompletePlan): void {
  const names = plan.checks.map(({ name }) => name);
  if (names.length > 0 && names.join("\n") === checks.map(({ name }) => name).join("\n")) return;
  throw new NuncioError("internal", "the results are of other checks than those of the plan");
}
