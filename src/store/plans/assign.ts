import type { Assign } from "../../plans/plan-store.js";
import { refuseAssignee, refuseCompleted, refuseStaleRevision } from "../../plans/refusals.js";
import { type Command, run } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { type Assigned, holdPlan, requireAssignment } from "./find-plan.js";
import { raiseRevision } from "./raise-revision.js";

const insertAssignment = sql(`INSERT INTO assignments (tenant, plan_id, id, step, profile, persona, peer, invocations,
    invocations_used, generation, created_at, updated_at)
  VALUES (:tenant, :planId, :id, :step, :profile, :persona, :peer, :invocations, 0, 0, :now, :now)`);

export const assign: (command: Assign) => Command<Assigned> = (command) =>
  function* () {
    const { tenant, planId, id, step, profile, assignee, invocations, now } = command;
    const plan = yield* holdPlan(tenant, planId);
    refuseStaleRevision(plan, command.revision);
    refuseCompleted(plan);
    refuseAssignee(plan.plan, step, profile, assignee);
    yield* run(insertAssignment, {
      ...{ tenant, planId, id, step, invocations, now },
      profile: JSON.stringify(profile),
      persona: assignee.runtime === "native" ? assignee.persona : null,
      peer: assignee.runtime === "peer" ? assignee.peer : null,
    });
    yield* raiseRevision(tenant, planId, now);
    return {
      plan: yield* holdPlan(tenant, planId),
      assignment: yield* requireAssignment(tenant, planId, id),
    };
  };
