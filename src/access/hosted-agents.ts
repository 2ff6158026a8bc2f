import type { AgentPolicy } from "./policy/agent-policy.js";

/** The agents that are hosted here, as they are at the time of a call. */
export interface HostedAgents {
  get(tenant: string, name: string): { policy?: AgentPolicy | undefined } | undefined;
}
