import type { IncomingMessage, ServerResponse } from "node:http";
import type { Cards } from "../a2a/server/cards.js";
import type { Authenticator } from "../access/authenticate.js";
import type { Persona } from "../personas/persona.js";
import type { PersonaRegistry } from "../personas/registry.js";
import { admit } from "./admit.js";
import { type AgentName, agentAt } from "./agent-path.js";
import { ABSENT, failed, type Headers, write } from "./answer.js";

const CARD = "/.well-known/agent-card.json";

export interface CardDeps {
  personas: PersonaRegistry;
  authenticator: Authenticator;
  /** Undefined while there is no URL that cards could name. */
  cards(): Cards | undefined;
  /** The agent, of the default tenant, whose card stands at the root. */
  defaultAgent: string | undefined;
  /** When what cards are made from was last changed, ms. */
  changedAt: number;
  onFault(error: unknown): void;
}

/** The card of the default agent, and that of each agent under its endpoint. */
export class CardEndpoint {
  readonly #deps: CardDeps;

  constructor(deps: CardDeps) {
    this.#deps = deps;
  }

  /** Answers a request for a card, whether there is one or not; false for anything else. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== "GET" && request.method !== "HEAD") return false;
    const agent = this.#agentOf(request.url as string);
    if (agent === null) return false;
    this.#answer(agent, request, response).catch((error) => {
      this.#deps.onFault(error);
      if (!response.headersSent) write(response, failed(error));
    });
    return true;
  }

  #agentOf(target: string): AgentName | null {
    const end = target.indexOf(CARD);
    if (end < 0 || !/^\/?(?:[?#]|$)/.test(target.slice(end + CARD.length))) return null;
    if (end > 0) return agentAt(target.slice(0, end));
    const { defaultAgent } = this.#deps;
    return defaultAgent === undefined ? null : { tenant: "default", name: defaultAgent };
  }

  async #answer(agent: AgentName, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { personas, authenticator } = this.#deps;
    const authentication = await authenticator.authenticate(request.headers.authorization, request.socket);
    const admitted = admit(personas, agent, "agent:card", authentication);
    if ("refusal" in admitted) return write(response, admitted.refusal);
    const cards = this.#deps.cards();
    if (cards === undefined) return write(response, ABSENT);
    sendCard(cards, admitted.persona, this.#deps.changedAt, request, response);
  }
}

function sendCard(
  cards: Cards,
  persona: Persona,
  changedAt: number,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const asked = request.headers["a2a-version"];
  const { body, etag } = cards.of(persona, Array.isArray(asked) ? asked[0] : asked);
  const isPublic = persona.visibility === "public";
  const headers: Headers = {
    etag,
    "last-modified": new Date(changedAt).toUTCString(),
    "cache-control": isPublic ? "public, max-age=300" : "private, max-age=60",
    vary: isPublic ? "A2A-Version" : "A2A-Version, Authorization",
  };
  if (isUnchanged(request, etag, changedAt)) response.writeHead(304, headers).end();
  else write(response, { status: 200, body, headers });
}

/** RFC 9110, 13.2.2: where both are there, the entity tag decides. */
function isUnchanged(request: IncomingMessage, etag: string, changedAt: number): boolean {
  const tags = request.headers["if-none-match"];
  if (tags !== undefined) {
    return tags.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
  }
  const since = Date.parse(request.headers["if-modified-since"] ?? "");
  return Math.floor(changedAt / 1000) * 1000 <= since;
}
