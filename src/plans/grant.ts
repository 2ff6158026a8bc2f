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
  /** The generation of the assignment that it admits to: when somebody else has run it meanwhile, it admits to nothing. */
  generation: number;
  /** What the peer has to name in its requests; the opaque tenant of the card's interface. */
  interfaceTenant: string;
  skill: string;
  peerClient: PeerClient | null;
  /** Of the token, `sha256:…`: the token itself is nowhere but in its file. */
  credentialDigest: string;
  createdAt: number;
  expiresAt: number;
  spent: GrantSpent | null;
  revokedAt: number | null;
}

/** On which message, and for which task. */
export interface GrantSpent {
  messageId: string;
  bodyHash: string;
  /** What the peer calls the conversation, if anything: a label that it is shown again, and nothing else. */
  peerContextId: string | null;
  taskId: string;
  at: number;
}

/** `spent`, `expired` and `revoked` admit no message any more; the peer of a spent one may still look at its task. */
export const GRANT_STATES = ["open", "spent", "expired", "revoked"] as const;
export type GrantState = (typeof GRANT_STATES)[number];

/** What ends everything comes first: a grant that was spent and then revoked is revoked. */
export function grantState({ spent, revokedAt, expiresAt }: Grant, now: number): GrantState {
  if (revokedAt !== null) return "revoked";
  if (expiresAt <= now) return "expired";
  return spent === null ? "open" : "spent";
}

/** The port of grants. Every method of a writer is one atomic command. */
export interface GrantStore {
  /**
   * @throws NuncioError not_found; conflict CREDENTIAL_IN_USE when another open grant has this credential, or one of another
   *   peer ever had it; failed_precondition when the assignment cannot be done for an outside peer
   */
  make(command: NewGrant): Promise<Grant>;
  find(id: string): Promise<Grant | null>;
  /** The grant that was spent for a task. */
  ofTask(tenant: string, taskId: string): Promise<Grant | null>;
  /** Newest first. */
  list(query: { assignmentId?: string }): Promise<Grant[]>;
  /** Ends it for good; what the peer has begun goes on. Revoking twice is no error. */
  revoke(command: { id: string; now: number }): Promise<Grant>;
  /**
   * Spends the grant on one message: the assignment is run, or, when this very message has spent it before, or an earlier
   * grant of the same peer for the same assignment, the task that is there is given again. One transaction, so that of two
   * messages at the same time one is admitted.
   *
   * @throws NuncioError conflict MESSAGE_ID_CONFLICT for the same message id with another body; failed_precondition
   *   GRANT_SPENT, GRANT_EXPIRED, GRANT_REVOKED; as `PlanStore.run`, and then nothing was spent
   */
  spend(command: SpendGrant): Promise<{ taskId: string; created: boolean }>;
  /** Called with the id of each grant that is revoked from now on, on any node, before its revocation is confirmed here. */
  onRevoked(listener: (id: string) => void): () => void;
  /** Called when news of another node may have been missed. */
  onMissed(listener: () => void): () => void;
}

export interface NewGrant extends Omit<Grant, "tenant" | "planId" | "generation" | "spent" | "revokedAt"> {}

export interface SpendGrant {
  id: string;
  messageId: string;
  bodyHash: string;
  peerContextId: string | null;
  /** Of the request that brought it. */
  bytes: number;
  /** The endpoint for a client of its own ways that it came by. */
  peerClient: PeerClient | null;
  run: Pick<RunAssignment, "submit">;
  now: number;
}
