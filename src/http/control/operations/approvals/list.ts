import { z } from "zod";
import { approvalOf } from "../../approval-json.js";
import { operation } from "../../operation.js";
import { approval } from "../../schema/approval.js";
import { cursor, id, pageLimit } from "../../schema/fields.js";

/** What the operator has to decide, newest first; with `all` what was decided as well. A page may end early. */
export const listApprovals = operation({
  method: "GET",
  path: "/v1/approvals",
  request: z.strictObject({
    all: z.stringbool().default(false),
    taskId: id.optional(),
    limit: pageLimit.default(50),
    cursor: cursor.optional(),
  }),
  response: z.object({ approvals: z.array(approval), nextCursor: z.string().nullable() }),
  async handle({ taskId, cursor, ...query }, { ledger }) {
    const page = await ledger.system.approvals.list({
      ...query,
      ...(taskId === undefined ? {} : { taskId }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    return { approvals: page.items.map(approvalOf), nextCursor: page.nextCursor };
  },
});
