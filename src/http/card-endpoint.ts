import type { IncomingMessage, ServerResponse } from "node:http";
import type { Publication } from "../a2a/server/cards/publication.js";
import type { Gate } from "../a2a/server/gate.js";
import type { AgentName } from "../access/agent-name.js";
import { agentAt } from "./agent-path.js";
import { ABSENT, failed, write } from "./answer.js";
import { sendDocument } from "./conditional.js";
import { credentialsOf } from "./credentials.js";
import { refusalAnswer } from "./refusal.js";
import { askedVersion } from "./request-head.js";

const CARD = ".well-known/agent-card.json";
/**
 * Clients of JavaScript resolve the path of the card as browsers do, and so look beside the endpoint when they are given its
 * URL without a slash at the end.
 */
const BESIDE = /^(\/v1\/(?:tenants\/[^/?#]+\/)?agents\/[^/?#]+\/)(\.well-known\/agent-card\.json\/?(?:[?#]|$))/;
const ROOT_CARD = /^\/\.well-known\/agent-card\.json\/?(?:[?#]|$)/;

export interface CardDeps {
  gate: Gate;
  publication: Publication;
  onFault(error: unknown): void;
}

/** The card of the default agent, and that of each agent under its endpoint and beside it. */
export class CardEndpoint {
  readonly #deps: CardDeps;

  constructor(deps: CardDeps) {
    this.#deps = deps;
  }

  /** Answers a request for a card, whether there is one or not; false for anything else. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== "GET" && request.method !== "HEAD") return false;
    const agent = this.#agentOf(request.url as string);
    if (agent === undefined) return false;
    this.#answer(agent, request, response).catch((error) => {
      this.#deps.onFault(error);
      if (!response.headersSent) write(response, failed(error));
    });
    return true;
  }

  #agentOf(target: string): AgentName | undefined {
    const path = agentAt(target.replace(BESIDE, "$1a2a/$2"));
    if (path !== null) return path.rest === CARD ? path.agent : undefined;
    return ROOT_CARD.test(target) ? this.#deps.publication.defaultAgent : undefined;
  }

  async #answer(agent: AgentName, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { gate, publication } = this.#deps;
    const entry = await gate.admit(agent, "agent:card", credentialsOf(request), request.socket);
    if ("refusal" in entry) return write(response, refusalAnswer(entry.refusal));
    const { cards, changedAt } = publication;
    if (cards === undefined) return write(response, ABSENT);
    const card = cards.of(entry.persona, askedVersion(request));
    const caching =
      entry.persona.visibility === "public"
        ? { changedAt, cacheControl: "public, max-age=300", vary: "A2A-Version" }
        : { changedAt, cacheControl: "private, max-age=60", vary: `A2A-Version, ${CREDENTIALS}` };
    sendDocument(card, caching, request, response);
  }
}

/** Headers by which a caller says who they are. */
const CREDENTIALS = "Authorization, X-Nuncio-Agent-Token";
