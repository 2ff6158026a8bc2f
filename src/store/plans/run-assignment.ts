import type { Assignment } from "../../plans/assignment.js";
import type { PlannedTask } from "../../plans/plan.js";
import type { RunAssignment } from "../../plans/plan-store.js";
import {
  refuseAssignee,
  refuseCompleted,
  refuseMissingNeeds,
  refuseStaleGeneration,
  refuseStaleRevision,
  refuseUnfinished,
  refuseUsedUp,
} from "../../plans/refusals.js";
import { stepsDone } from "../../plans/runs-so-far.js";
import { NuncioError } from "../../shared/errors.js";
import type { Task } from "../../tasks/task.js";
import type { QueueRoom } from "../ledger/queue-room.js";
import { submit } from "../ledger/submit.js";
import { prepareDispatch } from "../peers/prepare-dispatch.js";
import { type Effects, run, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { findPlan, holdPlan, listAssignments, requireAssignment } from "./find-plan.js";
import { raiseRevision } from "./raise-revision.js";
import { refuseTokensUsedUp } from "./tokens-of-plan.js";

const raiseGeneration = sql(`UPDATE assignments SET generation = generation + 1, updated_at = :now
  WHERE tenant = :tenant AND plan_id = :planId AND id = :assignmentId AND generation = :generation`);
const insertRun = sql(`INSERT INTO assignment_runs (tenant, plan_id, assignment_id, generation, child_id, grant_id, at)
  VALUES (:tenant, :planId, :assignmentId, :generation, :childId, :grantId, :now)`);

export interface StartedRun {
  plan: PlannedTask;
  assignment: Assignment;
  child: Task;
}

/**
 * The task that does the work, the run that connects it with its assignment, and for a peer the dispatch that is prepared
 * for it come into being together; the row of the planned task is held meanwhile, so that of two runs at the same time one
 * is made.
 *
 * The command's `submit` says `newContext`: nobody else is in the context of a run.
 */
export function* startRun(
  command: RunAssignment & { grantId: string | null },
  room: QueueRoom,
  effects: Effects,
): Steps<StartedRun> {
  const { tenant, planId, assignmentId, now, dispatch, grantId } = command;
  const plan = yield* holdPlan(tenant, planId);
  if (command.revision !== null) refuseStaleRevision(plan, command.revision);
  const assignment = yield* requireAssignment(tenant, planId, assignmentId);
  refuseStaleGeneration(assignment, command.generation);
  yield* refuseRun(plan, assignment);

  const { task, created } = yield* submit(tenant, command.submit, room)(effects);
  // A message that made a task before, such as one that an earlier grant was spent on, makes none of this planned task.
  if (!created) throw notFresh(command.submit.message.messageId);
  const generation = assignment.generation + 1;
  yield* run(raiseGeneration, { tenant, planId, assignmentId, generation: assignment.generation, now });
  yield* run(insertRun, { tenant, planId, assignmentId, generation, childId: task.id, grantId, now });
  yield* raiseRevision(tenant, planId, now);
  if (dispatch !== undefined) {
    yield* prepareDispatch({ tenant, taskId: task.id, planId, assignmentId }, dispatch, now);
  }
  return {
    plan: (yield* findPlan(tenant, planId)) as PlannedTask,
    assignment: yield* requireAssignment(tenant, planId, assignmentId),
    child: task,
  };
}

function* refuseRun(planned: PlannedTask, assignment: Assignment): Steps<void> {
  const { id, tenant, plan } = planned;
  refuseCompleted(planned);
  refuseAssignee(plan, assignment.step, assignment.profile, assignment.assignee);
  refuseUnfinished([assignment]);
  const all = yield* listAssignments(tenant, id);
  refuseMissingNeeds(plan, assignment.step, stepsDone(all));
  refuseUsedUp(planned, assignment);
  yield* refuseTokensUsedUp(planned, all);
}

const notFresh = (messageId: string): NuncioError =>
  new NuncioError("conflict", `message ${JSON.stringify(messageId)} has made a task before`, {
    field: "message.messageId",
    reason: "MESSAGE_NOT_FRESH",
    hint: "a run begins with a message of its own",
  });
