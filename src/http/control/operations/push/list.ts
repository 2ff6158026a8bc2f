import { z } from "zod";
import { operation } from "../../operation.js";
import { pushOf } from "../../push-json.js";
import { cursor, pageLimit } from "../../schema/fields.js";
import { push, pushState } from "../../schema/push.js";

/** Who is told of which task; secrets of receivers are left out. */
export const listPushes = operation({
  method: "GET",
  path: "/v1/pushes",
  request: z.strictObject({
    state: pushState.optional(),
    failing: z.stringbool().default(false),
    tenant: z.string().min(1).max(64).optional(),
    limit: pageLimit.default(50),
    cursor: cursor.optional(),
  }),
  response: z.object({ pushes: z.array(push), nextCursor: z.string().nullable() }),
  async handle(query, { ledger, a2a }) {
    const page = await ledger.system.push.list(query);
    return { pushes: page.items.map((each) => pushOf(each, a2a.operations.pushes)), nextCursor: page.nextCursor };
  },
});
