import { z } from "zod";
import { operation } from "../../operation.js";
import { plannedDetailOf } from "../../planned-task-json.js";
import { id } from "../../schema/fields.js";
import { plannedTask } from "../../schema/planned-task.js";

export const showPlannedTask = operation({
  method: "GET",
  path: "/v1/planned-tasks/:id",
  request: z.strictObject({ id }),
  response: plannedTask,
  async handle({ id }, deps) {
    return plannedDetailOf(await (await deps.planned()).show(id), deps);
  },
});
