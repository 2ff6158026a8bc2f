import { z } from "zod";
import type { CheckResult, PlannedTask } from "../../../../plans/plan.js";
import type { ControlDeps } from "../../deps.js";
import { streamOperation } from "../../operation.js";
import { plannedDetailOf } from "../../planned-task-json.js";
import { id } from "../../schema/fields.js";
import { completeLine } from "../../schema/planned-task.js";

/** Runs the checks in the workspace. A client that leaves ends the one that runs, and nothing is complete. */
export const completePlannedTask = streamOperation({
  method: "POST",
  path: "/v1/planned-tasks/:id/complete",
  request: z.strictObject({ id, revision: z.int().min(0) }),
  line: completeLine,
  async open({ id, revision }, deps, signal) {
    const desk = await deps.planned();
    await desk.refuseToComplete(id, revision);
    return lines(desk.complete({ planId: id, revision }, signal), deps);
  },
});

async function* lines(progress: AsyncIterable<{ check: CheckResult } | { plan: PlannedTask }>, deps: ControlDeps) {
  for await (const step of progress) {
    if ("check" in step) yield { type: "check" as const, check: step.check };
    else {
      const detail = await (await deps.planned()).show(step.plan.id);
      yield { type: "planned_task" as const, plannedTask: await plannedDetailOf(detail, deps) };
    }
  }
}
