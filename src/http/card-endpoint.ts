import type { IncomingMessage, ServerResponse } from "node:http";
import type { Cards } from "../a2a/server/cards.js";
import type { Gate } from "../a2a/server/gate.js";
import type { AgentName } from "../access/agent-name.js";
import type { Persona } from "../personas/persona.js";
import { agentAt } from "./agent-path.js";
import { ABSENT, failed, type Headers, write } from "./answer.js";
import { credentialsOf } from "./credentials.js";
import { refusalAnswer } from "./refusal.js";

const CARD = ".well-known/agent-card.json";
const ROOT_CARD = /^\/\.well-known\/agent-card\.json\/?(?:[?#]|$)/;

export interface CardDeps {
  gate: Gate;
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
    const path = agentAt(target);
    if (path !== null) return path.rest === CARD ? path.agent : null;
    const { defaultAgent } = this.#deps;
    return defaultAgent !== undefined && ROOT_CARD.test(target) ? { tenant: "default", name: defaultAgent } : null;
  }

  async #answer(agent: AgentName, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const entry = await this.#deps.gate.admit(agent, "agent:card", credentialsOf(request), request.socket);
    if ("refusal" in entry) return write(response, refusalAnswer(entry.refusal));
    const cards = this.#deps.cards();
    if (cards === undefined) return write(response, ABSENT);
    sendCard(cards, entry.persona, this.#deps.changedAt, request, response);
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
