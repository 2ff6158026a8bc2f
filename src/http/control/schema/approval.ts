import { z } from "zod";
import { APPROVAL_DECISIONS } from "../../../tasks/approval-ledger.js";
import { timestamp } from "./fields.js";

export const approval = z.object({
  id: z.string(),
  taskId: z.string(),
  /** The outermost ancestor of the task. */
  rootId: z.string(),
  tenant: z.string(),
  persona: z.string(),
  /** The host tool that is to be called; `approve` for a step that only asks. */
  tool: z.string(),
  /** Exactly what it is to be called with. */
  arguments: z.json(),
  /** Of the tool and the arguments: SHA-256 of their canonical JSON. */
  digest: z.string(),
  createdAt: timestamp,
  /** After it the answer is no. */
  expiresAt: timestamp,
  /** Null while it is open. */
  decision: z.enum(APPROVAL_DECISIONS).nullable(),
  reason: z.string().nullable(),
  decidedAt: timestamp.nullable(),
});

/** What the operator says to it. */
export const decisionReason = z
  .string()
  .min(1)
  .max(2000)
  .refine((text) => !/[\0\p{Surrogate}]/u.test(text), "must be valid Unicode without NUL");

/** What was looked at: another digest is a conflict, and nothing is decided. */
export const digest = z.string().regex(/^[0-9a-f]{64}$/, "must be the digest of an approval: 64 hexadecimal digits");

export type ApprovalJson = z.output<typeof approval>;
