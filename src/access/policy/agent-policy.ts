import { type AgentPattern, matchesAgent, parseAgentPattern } from "./agent-pattern.js";
import { matchesUrl, parseUrlPattern, type UrlPattern } from "./url-pattern.js";

/** What a persona may do with, and takes from, other agents, as configured. Any mode but `enforce` denies everything. */
export interface AgentPolicy {
  mode: string;
  /** Tools that reach agents of others, such as `a2a_call`. */
  tools: readonly string[];
  /** URLs of agents that it may call; `*` at the end stands for any rest of the path. */
  a2aTargets: readonly string[];
  /** Hosts that its calls may go to, exactly. */
  egressHosts: readonly string[];
  /** Absent: no agent may call it. */
  a2aInbound?: InboundPolicy | undefined;
}

export interface InboundPolicy {
  /** SPIFFE ids of agents that may call; `*` at the end stands for any rest. */
  agents: readonly string[];
  /** Calls a minute that each of them may make; absent: as many as it likes. */
  maxA2AInboundPerMinute?: number | undefined;
}

/** Whether the agent with this policy may call the one at this URL. */
export const allowsTarget = (policy: AgentPolicy | undefined, url: string): boolean =>
  policy?.mode === "enforce" && read(policy).targets.some((pattern) => matchesUrl(pattern, url));

/** Whether the agent with this policy takes calls of the one with this SPIFFE id. */
export const admitsAgent = (policy: AgentPolicy | undefined, spiffeId: string): boolean =>
  policy?.mode === "enforce" && read(policy).inbound.some((pattern) => matchesAgent(pattern, spiffeId));

/** How many calls a minute it takes of each agent that it admits; undefined where there is no bound. */
export const inboundPerMinute = (policy: AgentPolicy | undefined): number | undefined =>
  policy?.a2aInbound?.maxA2AInboundPerMinute;

interface ReadPolicy {
  targets: readonly UrlPattern[];
  inbound: readonly AgentPattern[];
}

/** Patterns are read once for each policy: there may be a thousand, and each call asks. */
const known = new WeakMap<AgentPolicy, ReadPolicy>();

/** What is no pattern means nothing. */
function read(policy: AgentPolicy): ReadPolicy {
  let patterns = known.get(policy);
  if (patterns === undefined) {
    const isPattern = <T>(pattern: T | null): pattern is T => pattern !== null;
    patterns = {
      targets: policy.a2aTargets.map(parseUrlPattern).filter(isPattern),
      inbound: (policy.a2aInbound?.agents ?? []).map(parseAgentPattern).filter(isPattern),
    };
    known.set(policy, patterns);
  }
  return patterns;
}
