import { z } from "zod";
import { NuncioError } from "../../../../shared/errors.js";
import { findTask } from "../../find-task.js";
import { operation } from "../../operation.js";
import { id } from "../../schema/fields.js";
import { taskDetail } from "../../schema/task.js";
import { detailOf } from "../../task-json.js";

const isPlanned = (id: string): NuncioError =>
  new NuncioError("not_found", `${id} is a planned task, which is no task itself: its runs are`, {
    hint: `nuncio team list ${id}`,
  });

export const showTask = operation({
  method: "GET",
  path: "/v1/tasks/:id",
  request: z.strictObject({ id }),
  response: taskDetail,
  async handle({ id }, deps) {
    try {
      return await detailOf(await findTask(deps.ledger, id), deps);
    } catch (error) {
      if (NuncioError.is(error, "not_found") && (await (await deps.planned()).exists(id))) throw isPlanned(id);
      throw error;
    }
  },
});
