import { z } from "zod";
import { findTask } from "../../find-task.js";
import { operation } from "../../operation.js";
import { id } from "../../schema/fields.js";
import { taskDetail } from "../../schema/task.js";
import { detailOf } from "../../task-json.js";

export const showTask = operation({
  method: "GET",
  path: "/v1/tasks/:id",
  request: z.strictObject({ id }),
  response: taskDetail,
  handle: async (request, deps) => detailOf(await findTask(deps.ledger, request.id), deps),
});
