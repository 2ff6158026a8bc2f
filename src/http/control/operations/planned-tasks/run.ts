import { z } from "zod";
import { operation } from "../../operation.js";
import { assignmentJson, plannedSummaryOf } from "../../planned-task-json.js";
import { id } from "../../schema/fields.js";
import { assignment, plannedTaskSummary } from "../../schema/planned-task.js";
import { taskSummary } from "../../schema/task.js";
import { summaryOf } from "../../task-json.js";

/** Makes the task that does the work of an assignment. */
export const runAssignment = operation({
  method: "POST",
  path: "/v1/planned-tasks/:id/assignments/:assignmentId/run",
  status: 201,
  request: z.strictObject({
    id,
    assignmentId: id,
    generation: z.int().min(0),
    revision: z.int().min(0),
    /** How long we wait for a peer. */
    deadlineSeconds: z
      .int()
      .min(1)
      .max(365 * 86_400)
      .optional(),
  }),
  response: z.object({
    plannedTaskId: z.string(),
    revision: z.int(),
    assignmentId: z.string(),
    generation: z.int(),
    childId: z.string(),
    child: taskSummary,
    assignment,
    plannedTask: plannedTaskSummary,
  }),
  async handle({ id, assignmentId, generation, revision, deadlineSeconds }, deps) {
    const desk = await deps.planned();
    const deadlineMs = deadlineSeconds === undefined ? undefined : deadlineSeconds * 1000;
    const begun = await desk.run({ planId: id, assignmentId, generation, revision, deadlineMs });
    return {
      plannedTaskId: id,
      revision: begun.plan.revision,
      assignmentId,
      generation: begun.assignment.generation,
      childId: begun.child.id,
      child: summaryOf(begun.child),
      assignment: await assignmentJson(begun.assignment, deps),
      plannedTask: plannedSummaryOf(begun.plan),
    };
  },
});
