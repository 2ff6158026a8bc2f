import { PROTOCOL_VERSIONS, type ProtocolVersion } from "../../protocol/version.js";
import { agentPath } from "./agent-url.js";
import type { CardFacts } from "./facts.js";

/** A way to reach an agent: one binding in one version. */
export interface Interface {
  binding: "JSONRPC" | "HTTP+JSON" | "GRPC";
  version: ProtocolVersion;
  url: string;
  /** Goes into every request of 1.0 to this URL, since it alone does not say which agent is meant. */
  tenant?: string;
}

/** The preferred one first: the newest version, and JSON-RPC of it. */
export function interfacesOf(agent: { tenant: string; name: string }, facts: CardFacts): Interface[] {
  const url = facts.baseUrl + agentPath(agent);
  return PROTOCOL_VERSIONS.filter((version) => facts.versions.includes(version)).flatMap((version): Interface[] => [
    { binding: "JSONRPC", version, url },
    // Clients of either version put their own paths behind it: /message:send, /v1/message:send.
    ...(facts.rest ? [{ binding: "HTTP+JSON" as const, version, url }] : []),
    ...grpc(agent, version, facts),
  ]);
}

/**
 * All agents share a port. In 1.0 the interface's tenant says which one is called. A client of 0.3 has nothing to say it
 * with that a card could tell it of: it reaches the default agent, so that only the card of that one names gRPC.
 */
function grpc(agent: { tenant: string; name: string }, version: ProtocolVersion, facts: CardFacts): Interface[] {
  const url = facts.grpc;
  if (url === undefined) return [];
  if (version === "1.0") return [{ binding: "GRPC", version, url, tenant: `${agent.tenant}/${agent.name}` }];
  const isDefault = agent.tenant === "default" && agent.name === facts.defaultAgent;
  return isDefault ? [{ binding: "GRPC", version, url }] : [];
}
