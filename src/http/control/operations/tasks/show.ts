import { z } from "zod";
import { findTaskByHand } from "../../find-task-by-hand.js";
import { operation } from "../../operation.js";
import { id } from "../../schema/fields.js";
import { taskDetail } from "../../schema/task.js";
import { detailOf } from "../../task-json.js";

export const showTask = operation({
  method: "GET",
  path: "/v1/tasks/:id",
  request: z.strictObject({ id }),
  response: taskDetail,
  async handle({ id }, deps) {
    return detailOf(await findTaskByHand(deps, id), deps);
  },
});
