import { z } from "zod";
import { TASK_STATES } from "../../../../tasks/task-state.js";
import { operation } from "../../operation.js";
import { cursor, id, pageLimit } from "../../schema/fields.js";
import { taskSummary } from "../../schema/task.js";
import { summaryOf } from "../../task-json.js";

export const listTasks = operation({
  method: "GET",
  path: "/v1/tasks",
  request: z.strictObject({
    state: z.enum(TASK_STATES).optional(),
    persona: z.string().min(1).max(64).optional(),
    tenant: z.string().min(1).max(64).optional(),
    contextId: id.optional(),
    limit: pageLimit.default(50),
    cursor: cursor.optional(),
  }),
  response: z.object({ tasks: z.array(taskSummary), nextCursor: z.string().nullable() }),
  async handle(query, { ledger }) {
    const page = await ledger.system.list(query);
    return { tasks: page.items.map(summaryOf), nextCursor: page.nextCursor };
  },
});
