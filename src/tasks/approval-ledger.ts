import type { JsonValue } from "../shared/json.js";
import type { Page } from "./ledger.js";

/*
 * Approvals: a run asks the operator whether it may do exactly one thing, and is parked until the operator has decided,
 * or the time is up. What is approved is a digest of the tool and its arguments: with other arguments it is another
 * question.
 */

/** How an approval was decided; `null` while it is open. `canceled` when its task has ended, or asks for something else. */
export const APPROVAL_DECISIONS = ["approved", "denied", "expired", "canceled"] as const;
export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number];

/** Stands in the place of a tool where only the question itself is to be decided. */
export const APPROVE = "approve";

/** What a run asks for. */
export interface NewApproval {
  /** The call that waits for it, unique in its task. */
  callId: string;
  /** The host tool; `APPROVE` for a step that only asks. */
  tool: string;
  /** Exactly what the tool is called with. */
  arguments: JsonValue;
  /** `approvalDigest` of the two. */
  digest: string;
  /** After it the answer is no, ms. */
  expiresAt: number;
}

export interface Approval extends NewApproval {
  id: string;
  tenant: string;
  taskId: string;
  rootId: string;
  persona: string;
  createdAt: number;
  decision: ApprovalDecision | null;
  /** What the operator said to it. */
  reason: string | null;
  decidedAt: number | null;
}

export interface DecideApproval {
  id: string;
  decision: "approved" | "denied";
  reason?: string;
  /** When given, what was looked at: another one is a conflict, and nothing is decided. */
  digest?: string;
  now: number;
}

/** Approvals of one task: for its runs. */
export interface ApprovalLedger {
  /** The one for exactly this call with exactly these arguments. */
  find(query: { taskId: string; callId: string; digest: string }): Promise<Approval | null>;
}

/** Approvals of all tenants: for the operator. */
export interface ApprovalInbox {
  /** Newest first; only those that are open unless `all`. */
  list(query: { all?: boolean; taskId?: string; limit: number; cursor?: string }): Promise<Page<Approval>>;
  find(id: string): Promise<Approval | null>;
  /**
   * Decides, and wakes the task, in one transaction.
   *
   * @throws NuncioError not_found; failed_precondition APPROVAL_DECIDED when it was decided or has expired; conflict
   *   APPROVAL_CHANGED when `digest` is of something else
   */
  decide(command: DecideApproval): Promise<Approval>;
}
