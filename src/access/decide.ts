import type { Principal, Scope } from "./principal.js";

/** What is asked for. */
export type Action =
  /** Read the card of an agent. */
  | "agent:card"
  /** Speak to the endpoint of an agent at all. */
  | "agent:call"
  /** Have it do, continue or stop work. */
  | "agent:execute"
  | "task:read"
  /** Cancel it, or answer its question. */
  | "task:change";

export type Resource =
  | { type: "agent"; tenant: string; visibility: "private" | "public" }
  /** `principal` is the subject that created it. */
  | { type: "task"; tenant: string; principal: string };

export type Decision =
  | { allowed: true }
  /** The resource must look as if it did not exist. */
  | { allowed: false; why: "absent" }
  | { allowed: false; why: "unauthenticated" }
  | { allowed: false; why: "scope"; scope: Scope };

const YES: Decision = { allowed: true };
const ABSENT: Decision = { allowed: false, why: "absent" };
const UNAUTHENTICATED: Decision = { allowed: false, why: "unauthenticated" };
const NEEDS_EXECUTE: Decision = { allowed: false, why: "scope", scope: "runs:execute" };

/**
 * The one place that says who may do what. `principal` is null when the caller showed no valid credential.
 *
 * A private agent does not exist for anybody outside its tenant; a task does not exist for anybody but the principal
 * that created it and, to look at, callers of its tenant that may read tasks.
 */
export function decide(principal: Principal | null, action: Action, resource: Resource): Decision {
  if (principal?.kind === "operator") return YES;
  if (resource.type === "agent") return decideAgent(principal, action, resource);
  return decideTask(principal, action, resource);
}

function decideAgent(
  principal: Principal | null,
  action: Action,
  agent: { tenant: string; visibility: "private" | "public" },
): Decision {
  if (agent.visibility === "private" && principal?.tenant !== agent.tenant) return ABSENT;
  if (action === "agent:card") return YES;
  if (principal === null) return UNAUTHENTICATED;
  if (principal.scopes.includes("runs:execute")) return YES;
  return action === "agent:call" && principal.scopes.includes("tasks:read") ? YES : NEEDS_EXECUTE;
}

function decideTask(
  principal: Principal | null,
  action: Action,
  task: { tenant: string; principal: string },
): Decision {
  if (principal === null) return UNAUTHENTICATED;
  const own = principal.subject === task.principal;
  if (action === "task:change") {
    if (!own) return ABSENT;
    return principal.scopes.includes("runs:execute") ? YES : NEEDS_EXECUTE;
  }
  if (own) return YES;
  return principal.tenant === task.tenant && principal.scopes.includes("tasks:read") ? YES : ABSENT;
}
