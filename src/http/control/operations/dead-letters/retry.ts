import { z } from "zod";
import { findTask } from "../../find-task.js";
import { operation } from "../../operation.js";
import { id } from "../../schema/fields.js";
import { taskSummary } from "../../schema/task.js";
import { summaryOf } from "../../task-json.js";

/** The work is done again, once, by a new task that names the dead one; that stays as it is. */
export const retryDeadLetter = operation({
  method: "POST",
  path: "/v1/dead-letters/:id/retry",
  status: 201,
  request: z.strictObject({ id }),
  response: taskSummary,
  async handle({ id }, { ledger, service }) {
    const { tenant } = await findTask(ledger, id);
    const { task } = await service.retryDead({ tenant, taskId: id });
    return summaryOf(task);
  },
});
