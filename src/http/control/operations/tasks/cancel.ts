import { z } from "zod";
import { findTask } from "../../find-task.js";
import { operation } from "../../operation.js";
import { id } from "../../schema/fields.js";
import { taskDetail } from "../../schema/task.js";
import { detailOf } from "../../task-json.js";

/**
 * Answers when the run has stopped, or after 5 s; the task is canceled in either case. What it has asked the operator is
 * denied, with the reason.
 */
export const cancelTask = operation({
  method: "POST",
  path: "/v1/tasks/:id/cancel",
  request: z.strictObject({ id, reason: z.string().min(1).max(2000).default("canceled by the operator") }),
  response: taskDetail.extend({
    /** Every task that was canceled: this one first, then what it had delegated. */
    canceledIds: z.array(z.string()),
  }),
  async handle({ id, reason }, deps) {
    const { tenant } = await findTask(deps.ledger, id);
    const { canceledIds } = await deps.service.cancel({ tenant, taskId: id, reason, operator: true });
    return { ...(await detailOf(await findTask(deps.ledger, id), deps)), canceledIds };
  },
});
