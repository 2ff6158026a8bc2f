import type { AgentName } from "../agent-name.js";
import { parseSpiffeId } from "../policy/spiffe-id.js";

/** Who a persona is among agents: `spiffe://example.com/agents/desk`, with the tenant in it where that is not the default one. */
export const spiffeIdOf = (trustDomain: string, { tenant, name }: AgentName): string =>
  tenant === "default"
    ? `spiffe://${trustDomain}/agents/${name}`
    : `spiffe://${trustDomain}/tenants/${tenant}/agents/${name}`;

/** The agent that has this id in our trust domain; null for an id of others, and for one that is not written as we write it. */
export function agentOf(trustDomain: string, spiffeId: string): AgentName | null {
  const id = parseSpiffeId(spiffeId);
  if (id === null || id.trustDomain !== trustDomain) return null;
  const [, tenant = "default", name = ""] = /^(?:\/tenants\/([^/]+))?\/agents\/([^/]+)$/.exec(id.path) ?? [];
  const agent = { tenant, name };
  // `tenants/default/agents/desk` would be a second name of one agent.
  return spiffeIdOf(trustDomain, agent) === spiffeId ? agent : null;
}

/** `desk`, or `acme/desk` in another tenant than the default one: as in the path at which its keys are published. */
export const agentIdOf = ({ tenant, name }: AgentName): string => (tenant === "default" ? name : `${tenant}/${name}`);

/** Null for what is no id of an agent, `default/desk` included. */
export function agentNamed(agentId: string): AgentName | null {
  const parts = agentId.split("/");
  if (parts.length > 2 || parts.some((part) => part === "")) return null;
  const agent = { tenant: parts.length === 2 ? (parts[0] as string) : "default", name: parts.at(-1) as string };
  return agentIdOf(agent) === agentId ? agent : null;
}
