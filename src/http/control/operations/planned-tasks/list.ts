import { z } from "zod";
import { operation } from "../../operation.js";
import { plannedSummaryOf } from "../../planned-task-json.js";
import { cursor, pageLimit } from "../../schema/fields.js";
import { plannedTaskSummary } from "../../schema/planned-task.js";

export const listPlannedTasks = operation({
  method: "GET",
  path: "/v1/planned-tasks",
  request: z.strictObject({
    tenant: z.string().min(1).max(64).optional(),
    limit: pageLimit.default(50),
    cursor: cursor.optional(),
  }),
  response: z.object({ plannedTasks: z.array(plannedTaskSummary), nextCursor: z.string().nullable() }),
  async handle({ tenant, limit, cursor }, { planned }) {
    const page = await (await planned()).list({
      limit,
      ...(tenant !== undefined && { tenant }),
      ...(cursor !== undefined && { cursor }),
    });
    return { plannedTasks: page.items.map(plannedSummaryOf), nextCursor: page.nextCursor };
  },
});
