import { z } from "zod";
import { GRANT_STATES, PEER_CLIENTS } from "../../../plans/grant.js";
import { timestamp } from "./fields.js";

export const grant = z.object({
  id: z.string(),
  /** `spent`, `expired` and `revoked` admit no message any more; the peer of a spent one may still look at its task. */
  state: z.enum(GRANT_STATES),
  peer: z.string(),
  plannedTaskId: z.string(),
  assignmentId: z.string(),
  generation: z.int(),
  /** What the peer names in its requests. */
  tenant: z.string(),
  skill: z.string(),
  peerClient: z.enum(PEER_CLIENTS).nullable(),
  credentialDigest: z.string(),
  createdAt: timestamp,
  expiresAt: timestamp,
  /** The task that the peer's message has made. */
  taskId: z.string().nullable(),
  messageId: z.string().nullable(),
  bodyDigest: z.string().nullable(),
  spentAt: timestamp.nullable(),
  revokedAt: timestamp.nullable(),
});

export type GrantJson = z.output<typeof grant>;

export const grantDetail = grant.extend({
  /** What passed between the peer and us: ids, digests, counts and times. */
  receipts: z.array(
    z.object({ number: z.int(), at: timestamp, kind: z.string(), facts: z.record(z.string(), z.unknown()) }),
  ),
});

export type GrantDetail = z.output<typeof grantDetail>;
