import { z } from "zod";
import { notFound } from "../../../../shared/errors.js";
import { approvalOf } from "../../approval-json.js";
import { operation } from "../../operation.js";
import { approval } from "../../schema/approval.js";
import { id } from "../../schema/fields.js";

export const showApproval = operation({
  method: "GET",
  path: "/v1/approvals/:id",
  request: z.strictObject({ id }),
  response: approval,
  async handle({ id }, { ledger }) {
    const found = await ledger.system.approvals.find(id);
    if (found === null) throw notFound("approval", id, "`nuncio approval list` shows those that wait");
    return approvalOf(found);
  },
});
