import { z } from "zod";
import { invalidArgument } from "../../../../shared/errors.js";
import { findTask } from "../../find-task.js";
import { operation } from "../../operation.js";
import { purgeContext, purgeOlder, purgeOne } from "../../purge-tasks.js";
import { cursor, id } from "../../schema/fields.js";

const MAX_SECONDS = 100 * 365 * 86_400;

/** Takes a task that has ended, with all that was delegated from it, out of the ledger. */
export const purgeTask = operation({
  method: "DELETE",
  path: "/v1/tasks/:id",
  request: z.strictObject({ id }),
  response: z.object({ purged: z.int() }),
  async handle({ id }, { ledger, clock }) {
    return purgeOne(ledger, (await findTask(ledger, id)).task, clock.now());
  },
});

/** Those of a conversation, or all that ended long enough ago. What still works is never among them. */
export const purgeTasks = operation({
  method: "DELETE",
  path: "/v1/tasks",
  request: z.strictObject({
    contextId: id.optional(),
    tenant: z.string().min(1).max(64).optional(),
    olderThanSeconds: z.coerce.number().int().min(1).max(MAX_SECONDS).optional(),
    cursor: cursor.optional(),
  }),
  response: z.object({ purged: z.int(), kept: z.int(), nextCursor: z.string().nullable() }),
  handle({ contextId, tenant, olderThanSeconds, cursor }, { ledger, clock }) {
    const now = clock.now();
    const endedBy = olderThanSeconds === undefined ? null : now - olderThanSeconds * 1000;
    if (contextId !== undefined) return purgeContext(ledger, { tenant: tenant ?? "default", contextId, endedBy }, now);
    if (endedBy === null) throw invalidArgument("olderThanSeconds", "say what is to go: a context, or an age");
    return purgeOlder(ledger, { tenant, endedBy, cursor }, now);
  },
});
