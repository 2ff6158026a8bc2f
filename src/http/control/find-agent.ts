import { AgentClient } from "../../a2a/client/agent-client.js";
import { openAgent } from "../../a2a/client/open-agent.js";
import { OwnAgentBinding } from "../../a2a/server/own-agent.js";
import { operator } from "../../access/principal.js";
import type { ControlDeps } from "./deps.js";
import { findPersona } from "./find-persona.js";

export interface Addressee {
  agent?: string | undefined;
  tenant: string;
  url?: string | undefined;
  token?: string | undefined;
}

export interface FoundAgent {
  client: AgentClient;
  streaming: boolean;
  /** Whether it runs here. */
  own: boolean;
}

/** An agent of this daemon, to which the operator needs no credential, or one that is opened by its card. */
export async function findAgent(deps: ControlDeps, addressee: Addressee, signal: AbortSignal): Promise<FoundAgent> {
  const { agent, tenant, url } = addressee;
  if (url !== undefined) {
    const { client, card } = await openAgent(await deps.a2a.outbound(), addressOf(url, addressee.token), signal);
    return { client, streaming: card.streaming, own: false };
  }
  const persona = findPersona(deps.personas, tenant, agent ?? "", "agent");
  const binding = new OwnAgentBinding(persona, operator, deps.a2a.operations);
  return { client: new AgentClient(binding, "1.0"), streaming: persona.streaming, own: true };
}

/** The operator has typed this URL: it may be on this machine. What a card names is another's choice. */
export const addressOf = (url: string, token: string | undefined) => ({
  url,
  endpoint: "operator" as const,
  ...(token !== undefined && { credentials: { authorization: `Bearer ${token}` } }),
});
