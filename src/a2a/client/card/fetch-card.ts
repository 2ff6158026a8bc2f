import { hasDuplicateKeys } from "../../../shared/duplicate-keys.js";
import type { NuncioError } from "../../../shared/errors.js";
import { ask, type Reach } from "../bindings/reach.js";
import { CARD_LIMITS } from "../bounds.js";
import { agentError } from "../errors.js";
import { type RemoteCard, readCard } from "./card.js";

const WELL_KNOWN = "/.well-known/agent-card.json";

/** Where the card of an agent is: beside its base URL (A2A 1.0, 14.3), unless the URL is that of a card already. */
export function cardUrl(agentUrl: string): string {
  if (!URL.canParse(agentUrl)) return agentUrl;
  const url = new URL(agentUrl);
  if (url.pathname.endsWith(".json")) return agentUrl;
  url.pathname = url.pathname.replace(/\/+$/, "") + WELL_KNOWN;
  return url.href;
}

/**
 * The card of the agent at a URL, which the way there was opened for.
 *
 * @throws NuncioError with reason AGENT_CARD_INVALID, AGENT_ANSWER_INVALID, or of the way out
 */
export const fetchCard = (agentUrl: string, reach: Reach, signal?: AbortSignal): Promise<RemoteCard> =>
  fetchCardAt(cardUrl(agentUrl), reach, signal);

/** The card at exactly this URL. */
export async function fetchCardAt(url: string, reach: Reach, signal?: AbortSignal): Promise<RemoteCard> {
  const headers = { accept: "application/json", "a2a-version": "1.0" };
  const response = await ask(reach, { method: "GET", url, headers, limits: CARD_LIMITS, signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw noCard(response.status);
  }
  const text = await response.text();
  const document = jsonIn(text);
  // Two programs could read two cards in it: it cannot be reviewed, nor compared with what was.
  if (document !== undefined && hasDuplicateKeys(text)) {
    throw agentError("unavailable", "the agent's card has the same field twice", { reason: "AGENT_CARD_INVALID" });
  }
  return readCard(document);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function noCard(status: number): NuncioError {
  const details = { status };
  if (status === 401 || status === 403) {
    return agentError(
      status === 401 ? "unauthenticated" : "permission_denied",
      `the agent's card is not for everybody, and not for this caller (status ${status})`,
      {
        reason: "AGENT_CARD_INVALID",
        hint: "give a credential: --token-file FILE, or NUNCIO_A2A_TOKEN",
        details,
      },
    );
  }
  return agentError(status === 404 ? "not_found" : "unavailable", `there is no agent card (status ${status})`, {
    reason: "AGENT_CARD_INVALID",
    hint: `give the URL before ${WELL_KNOWN}, or that of the card; a private agent may be there for its callers only`,
    details,
  });
}
