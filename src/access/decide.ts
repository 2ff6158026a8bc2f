import { type AgentPolicy, admitsAgent, allowsTarget } from "./policy/agent-policy.js";
import type { Principal, Scope } from "./principal.js";

/** What is asked for. */
export type AgentAction =
  /** Read the card of an agent. */
  | "agent:card"
  /** Read the keys that its tokens are checked with. */
  | "agent:keys"
  /** Read the card that it shows to those whom it knows. */
  | "agent:extendedCard"
  /** Speak to the endpoint of an agent at all. */
  | "agent:call"
  /** Have it do, continue or stop work. */
  | "agent:execute";

export type TaskAction =
  | "task:read"
  /** See it among others. */
  | "task:list"
  /** Cancel it, or answer its question. */
  | "task:change"
  /** Read or change to whom its changes are pushed: secrets of its owner are among that. */
  | "task:push";

export type Action = AgentAction | TaskAction;

export interface AgentResource {
  type: "agent";
  tenant: string;
  visibility: "private" | "public";
  /** Which agents it takes calls of. */
  policy?: AgentPolicy | undefined;
  /** Where it is called, as its card says; without it no agent's policy can mean it. */
  url?: string | undefined;
  /** The subject of the peer that a grant lets in to it, by the listener that grants are for. */
  grantedTo?: string | undefined;
}

export interface TaskResource {
  type: "task";
  /** Of its agent. */
  tenant: string;
  /** The subject that created it. */
  principal: string;
}

export type Resource = AgentResource | TaskResource;

export type Decision =
  | { allowed: true }
  /** The resource must look as if it did not exist. */
  | { allowed: false; why: "absent" }
  | { allowed: false; why: "unauthenticated" }
  | { allowed: false; why: "scope"; scope: Scope }
  /** The policy of the calling agent or of the called one; whose is not for the caller to know. */
  | { allowed: false; why: "policy" };

/** What a grant is good for. */
const OF_GRANTS: readonly Action[] = ["agent:card", "agent:call", "agent:execute"];

const YES: Decision = { allowed: true };
const ABSENT: Decision = { allowed: false, why: "absent" };
const UNAUTHENTICATED: Decision = { allowed: false, why: "unauthenticated" };
const NEEDS_EXECUTE: Decision = { allowed: false, why: "scope", scope: "runs:execute" };
const POLICY: Decision = { allowed: false, why: "policy" };

/**
 * The one place that says who may do what. `principal` is null when the caller showed no valid credential.
 *
 * A private agent does not exist for anybody outside its tenant; a task does not exist for anybody but the principal
 * that created it and, to look at, callers of its tenant that may read tasks. An agent calls another only where the
 * policies of both allow it. A peer is let in by its grant and by nothing else, however public the agent is. Of actions on
 * a task, whoever asks has been let in to its agent.
 */
export function decide(principal: Principal | null, action: AgentAction, resource: AgentResource): Decision;
export function decide(principal: Principal | null, action: TaskAction, resource: TaskResource): Decision;
export function decide(principal: Principal | null, action: Action, resource: Resource): Decision {
  if (principal?.kind === "operator") return YES;
  if (resource.type === "agent") return decideAgent(principal, action, resource);
  return decideTask(principal, action, resource);
}

function decideAgent(principal: Principal | null, action: Action, agent: AgentResource): Decision {
  if (principal?.kind === "peer") {
    return agent.grantedTo === principal.subject && OF_GRANTS.includes(action) ? YES : ABSENT;
  }
  if (agent.visibility === "private" && principal?.tenant !== agent.tenant) return ABSENT;
  if (action === "agent:card" || action === "agent:keys") return YES;
  if (principal === null) return UNAUTHENTICATED;
  if (principal.agent !== undefined || principal.kind === "agent") {
    if (!policiesAllow(principal, agent)) return POLICY;
  }
  if (principal.scopes.includes("runs:execute")) return YES;
  return action !== "agent:execute" && principal.scopes.includes("tasks:read") ? YES : NEEDS_EXECUTE;
}

/** Of an agent of others we know no policy but ours. */
function policiesAllow({ agent: caller }: Principal, agent: AgentResource): boolean {
  if (caller === undefined || !admitsAgent(agent.policy, caller.spiffeId)) return false;
  if (caller.persona === undefined) return true;
  return agent.url !== undefined && allowsTarget(caller.policy, agent.url);
}

function decideTask(principal: Principal | null, action: Action, task: TaskResource): Decision {
  if (principal === null) return UNAUTHENTICATED;
  const own = principal.subject === task.principal;
  if (principal.kind === "peer" && action === "task:push") return ABSENT;
  if (action === "task:read" || action === "task:list") return own || seesAll(principal, task.tenant) ? YES : ABSENT;
  if (!own) return ABSENT;
  return principal.scopes.includes("runs:execute") ? YES : NEEDS_EXECUTE;
}

const seesAll = (principal: Principal, tenant: string): boolean =>
  principal.tenant === tenant && principal.scopes.includes("tasks:read");

/**
 * Whose tasks a caller is shown in a list: those, and only those, that `decide` would let it read one by one.
 *
 * @param tenant of the agent
 */
export const listedTasks = (principal: Principal, tenant: string): "all" | { principal: string } =>
  principal.kind === "operator" || seesAll(principal, tenant) ? "all" : { principal: principal.subject };
