import type { Endpoint } from "../../outbound/check.js";
import type { Outbound } from "../../outbound/outbound.js";
import { AgentClient } from "./agent-client.js";
import { HttpJsonBinding } from "./bindings/http-json.js";
import { JsonRpcBinding } from "./bindings/json-rpc.js";
import type { Reach } from "./bindings/reach.js";
import type { RemoteCard } from "./card/card.js";
import { type ChosenInterface, chooseInterface } from "./card/choose-interface.js";
import { cardUrl, fetchCard } from "./card/fetch-card.js";

export interface AgentAddress {
  /** The agent's base URL, or the URL of its card. */
  url: string;
  /** Whose choice that URL is. */
  endpoint: Endpoint;
  /** Headers that say who we are. They go to the origin of `url`, and nowhere else. */
  credentials?: Readonly<Record<string, string>>;
}

export interface OpenedAgent {
  card: RemoteCard;
  chosen: ChosenInterface;
  client: AgentClient;
}

/**
 * Reads the card of an agent and speaks to it as the card says. What the card names is the agent's choice: an interface at
 * another origin has to pass the address rules as anybody's, whoever chose the URL, and is shown no credential.
 */
export async function openAgent(
  outbound: Pick<Outbound, "fetch">,
  address: AgentAddress,
  signal?: AbortSignal,
): Promise<OpenedAgent> {
  const card = await readCardAt(outbound, address, signal);
  const chosen = chooseInterface(card);
  return { card, chosen, client: clientFor(chosen, reachOf(outbound, address, chosen.url)) };
}

export const readCardAt = (
  outbound: Pick<Outbound, "fetch">,
  address: AgentAddress,
  signal?: AbortSignal,
): Promise<RemoteCard> => fetchCard(address.url, reachOf(outbound, address, cardUrl(address.url)), signal);

/** Speaks to an interface that was chosen before, by a way that is known: no card is read. */
export function clientFor({ binding, url, version, tenant }: ChosenInterface, reach: Reach): AgentClient {
  const spoken = binding === "JSONRPC" ? new JsonRpcBinding(url, version, reach) : new HttpJsonBinding(url, reach);
  return new AgentClient(spoken, version, tenant);
}

/** How a URL is reached that may be of the agent's own choice. What is no URL is for the way out to refuse. */
function reachOf(
  outbound: Pick<Outbound, "fetch">,
  { url, endpoint, credentials = {} }: AgentAddress,
  to: string,
): Reach {
  const same = URL.canParse(url) && URL.canParse(to) && new URL(url).origin === new URL(to).origin;
  return same ? { outbound, endpoint, credentials } : { outbound, endpoint: "foreign", credentials: {} };
}
