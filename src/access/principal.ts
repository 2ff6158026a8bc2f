import type { AgentPolicy } from "./policy/agent-policy.js";

/** What a key or token lets its holder do. */
export const SCOPES = ["runs:execute", "tasks:read"] as const;
export type Scope = (typeof SCOPES)[number];

/** The authenticated caller. The subject is stable over key rotation: what a caller owns hangs on it, never on a key id. */
export interface Principal {
  kind: "operator" | "user" | "agent" | "peer" | "run" | "anonymous";
  /**
   * E.g. `user:billing-app`, `agent:spiffe://example.com/agents/desk`, `peer:partner`, `operator`, `anonymous`,
   * `persona:orchestrator`.
   */
  subject: string;
  /** For an agent of others it is `outsideTenant` of its trust domain, for a peer `PEER_TENANT`. */
  tenant: string;
  scopes: readonly Scope[];
  /** Of an agent, and of nobody else. */
  agent?: AgentIdentity;
  /** Hop count that the caller's own delegation has reached; can only raise ours. */
  hop?: number;
}

/** Who an agent is among agents. */
export interface AgentIdentity {
  spiffeId: string;
  /** The persona that it is here; absent for an agent of others. */
  persona?: { tenant: string; name: string };
  /** What that persona may call, as it stands at the time of the call; absent: nothing. */
  policy?: AgentPolicy | undefined;
}

/** The operator's authority comes from the file permissions of the control socket. */
export const operator: Principal = { kind: "operator", subject: "operator", tenant: "default", scopes: SCOPES };

/** All anonymous callers are one. */
export const anonymous: Principal = {
  kind: "anonymous",
  subject: "anonymous",
  tenant: "default",
  scopes: ["runs:execute"],
};

/** Stands where the tenant of a caller does who belongs to none of ours: no tenant can have a name with a slash. */
export const outsideTenant = (trustDomain: string): string => `spiffe://${trustDomain}`;

/** The same for peers that a grant admits. */
const PEER_TENANT = "peer://";

/** A peer as a caller: who it is, its credential says; what it may do, its grant. */
export const peerPrincipal = (peer: string): Principal => ({
  kind: "peer",
  subject: `peer:${peer}`,
  tenant: PEER_TENANT,
  scopes: ["runs:execute"],
});
