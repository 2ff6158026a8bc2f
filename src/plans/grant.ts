import type { RunAssignment } from "./plan-store.js";

/** Outside clients whose requests differ from the protocol in a way that is known, by the name of their endpoint. */
export const PEER_CLIENTS = ["openclaw-2026.10.5"] as const;
export type PeerClient = (typeof PEER_CLIENTS)[number];

/** Lets one peer in, once, for one prepared assignment. */
export interface Grant {
  id: string;
  /** Of the planned task. */
  tenant: string;
  peer: string;
  planId: string;
  assignmentId: string;
  generation: number;
  /** What the peer has to name in its requests; the opaque tenant of the card's interface. */
  interfaceTenant: string;
  skill: string;
  peerClient: PeerClient | null;
  /** Of the token, `sha256:…`: the token itself is nowhere but in its file. */
  credentialDigest: string;
  createdAt: number;
  expiresAt: number;
  spent: { messageId: string; bodyHash: string; taskId: string; at: number } | null;
  revokedAt: number | null;
}

export interface GrantStore {
  /**
   * @throws NuncioError not_found; conflict CREDENTIAL_IN_USE when another grant that admits somebody has this
   *   credential; failed_precondition when the assignment cannot be done by an outside peer
   */
  make(command: NewGrant): Promise<Grant>;
  find(id: string): Promise<Grant | null>;
  /** Newest first. */
  list(query: { assignmentId?: string }): Promise<Grant[]>;
  revoke(command: { id: string; now: number }): Promise<Grant>;
  /**
   * Spends the grant on one message: the assignment is run, or, when this very message has spent it before, the task that
   * is there is given again. One transaction, so that of two messages at the same time one is admitted.
   *
   * @throws NuncioError conflict MESSAGE_ID_CONFLICT for the same message id with another body; failed_precondition
   *   GRANT_SPENT, GRANT_EXPIRED, GRANT_REVOKED
   */
  spend(command: SpendGrant): Promise<{ taskId: string; created: boolean }>;
}

export interface NewGrant extends Omit<Grant, "generation" | "spent" | "revokedAt"> {}

export interface SpendGrant {
  id: string;
  messageId: string;
  bodyHash: string;
  run: Omit<RunAssignment, "dispatch" | "revision">;
  now: number;
}
