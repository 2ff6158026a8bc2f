/** What a key or token lets its holder do. */
export const SCOPES = ["runs:execute", "tasks:read"] as const;
export type Scope = (typeof SCOPES)[number];

/** The authenticated caller. The subject is stable over key rotation: what a caller owns hangs on it, never on a key id. */
export interface Principal {
  kind: "operator" | "user" | "run" | "anonymous";
  /** E.g. `user:billing-app`, `operator`, `anonymous`, `persona:orchestrator`. */
  subject: string;
  tenant: string;
  scopes: readonly Scope[];
  /** Hop count that the caller's own delegation has reached; can only raise ours. */
  hop?: number;
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
