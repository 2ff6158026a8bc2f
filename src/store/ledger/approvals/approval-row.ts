import type { JsonValue } from "../../../shared/json.js";
import type { Approval, ApprovalDecision } from "../../../tasks/approval-ledger.js";

export interface ApprovalRow {
  tenant: string;
  task_id: string;
  call_id: string;
  digest: string;
  id: string;
  root_id: string;
  persona: string;
  tool: string;
  arguments: string;
  created_at: number;
  expires_at: number;
  decision: ApprovalDecision | null;
  reason: string | null;
  decided_at: number | null;
}

export const APPROVAL_COLUMNS = `tenant, task_id, call_id, digest, id, root_id, persona, tool, arguments, created_at, expires_at,
  decision, reason, decided_at`;

export const toApproval = (row: ApprovalRow): Approval => ({
  id: row.id,
  tenant: row.tenant,
  taskId: row.task_id,
  rootId: row.root_id,
  persona: row.persona,
  callId: row.call_id,
  tool: row.tool,
  arguments: JSON.parse(row.arguments) as JsonValue,
  digest: row.digest,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  decision: row.decision,
  reason: row.reason,
  decidedAt: row.decided_at,
});
