import type { Approval } from "../../tasks/approval-ledger.js";
import type { ApprovalJson } from "./schema/approval.js";
import { toOptionalTimestamp, toTimestamp } from "./schema/fields.js";

export const approvalOf = (approval: Approval): ApprovalJson => ({
  id: approval.id,
  taskId: approval.taskId,
  rootId: approval.rootId,
  tenant: approval.tenant,
  persona: approval.persona,
  tool: approval.tool,
  arguments: approval.arguments,
  digest: approval.digest,
  createdAt: toTimestamp(approval.createdAt),
  expiresAt: toTimestamp(approval.expiresAt),
  decision: approval.decision,
  reason: approval.reason,
  decidedAt: toOptionalTimestamp(approval.decidedAt),
});
