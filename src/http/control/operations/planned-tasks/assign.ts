import { z } from "zod";
import { operation } from "../../operation.js";
import { assignmentJson, plannedSummaryOf } from "../../planned-task-json.js";
import { id } from "../../schema/fields.js";
import { assignment, plannedTaskSummary } from "../../schema/planned-task.js";

/** Gives a step to a persona or to a peer. */
export const assignStep = operation({
  method: "POST",
  path: "/v1/planned-tasks/:id/assignments",
  status: 201,
  request: z.strictObject({
    id,
    step: z.string().min(1).max(64),
    profile: z.string().min(1).max(129),
    /** `native`, or the name of a pinned peer. */
    runtime: z.string().min(1).max(64),
    persona: z.string().min(1).max(64).optional(),
    invocations: z.int().min(1).max(100_000),
    revision: z.int().min(0),
  }),
  response: z.object({
    plannedTaskId: z.string(),
    revision: z.int(),
    assignmentId: z.string(),
    generation: z.int(),
    assignment,
    plannedTask: plannedTaskSummary,
  }),
  async handle({ id, ...request }, deps) {
    const made = await (await deps.planned()).assign({ planId: id, ...request });
    return {
      plannedTaskId: id,
      revision: made.plan.revision,
      assignmentId: made.assignment.id,
      generation: made.assignment.generation,
      assignment: await assignmentJson(made.assignment, deps),
      plannedTask: plannedSummaryOf(made.plan),
    };
  },
});
