import type { Grant, GrantSpent, PeerClient } from "../../plans/grant.js";

export interface GrantRow {
  tenant: string;
  id: string;
  peer: string;
  plan_id: string;
  assignment_id: string;
  generation: number;
  interface_tenant: string;
  skill: string;
  peer_client: string | null;
  credential_digest: string;
  created_at: number;
  expires_at: number;
  message_id: string | null;
  body_hash: string | null;
  peer_context_id: string | null;
  task_id: string | null;
  spent_at: number | null;
  revoked_at: number | null;
}

export const GRANT_COLUMNS = `tenant, id, peer, plan_id, assignment_id, generation, interface_tenant, skill, peer_client,
  credential_digest, created_at, expires_at, message_id, body_hash, peer_context_id, task_id, spent_at, revoked_at`;

export const toGrant = (row: GrantRow): Grant => ({
  id: row.id,
  tenant: row.tenant,
  peer: row.peer,
  planId: row.plan_id,
  assignmentId: row.assignment_id,
  generation: row.generation,
  interfaceTenant: row.interface_tenant,
  skill: row.skill,
  peerClient: row.peer_client as PeerClient | null,
  credentialDigest: row.credential_digest,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  spent: spentBy(row),
  revokedAt: row.revoked_at,
});

/** The five columns are written together, once. */
const spentBy = (row: GrantRow): GrantSpent | null =>
  row.message_id === null
    ? null
    : {
        messageId: row.message_id,
        bodyHash: row.body_hash as string,
        peerContextId: row.peer_context_id,
        taskId: row.task_id as string,
        at: row.spent_at as number,
      };
