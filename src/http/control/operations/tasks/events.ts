import { z } from "zod";
import { findTask } from "../../find-task.js";
import { operation } from "../../operation.js";
import { id, pageLimit } from "../../schema/fields.js";
import { taskEvent } from "../../schema/task-event.js";
import { eventJson } from "../../task-json.js";

export const listEvents = operation({
  method: "GET",
  path: "/v1/tasks/:id/events",
  request: z.strictObject({ id, after: z.coerce.number().int().min(0).default(0), limit: pageLimit.default(1000) }),
  response: z.object({ events: z.array(taskEvent) }),
  async handle({ id, after, limit }, deps) {
    const { ledger } = await findTask(deps.ledger, id);
    return { events: (await ledger.events(id, after, limit)).map(eventJson) };
  },
});
