import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Cards } from "../a2a/server/cards.js";
import type { Authenticator } from "../access/authenticate.js";
import type { Persona } from "../personas/persona.js";
import type { PersonaRegistry } from "../personas/registry.js";
import { admit } from "./admit.js";
import { type AgentParams, agentOf } from "./agent-path.js";
import { ABSENT, reply as answer } from "./answer.js";

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
}

/** The card of the default agent, and that of each agent under its endpoint. */
export function cardRoutes(app: FastifyInstance, endpoints: readonly string[], deps: CardDeps): void {
  const { defaultAgent } = deps;
  if (defaultAgent !== undefined) {
    app.get(CARD, (request, reply) => serveCard(deps, { tenant: "default", name: defaultAgent }, request, reply));
  }
  for (const endpoint of endpoints) {
    app.get<{ Params: AgentParams }>(endpoint + CARD, (request, reply) =>
      serveCard(deps, agentOf(request.params), request, reply),
    );
  }
}

async function serveCard(
  deps: CardDeps,
  agent: { tenant: string; name: string },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const authentication = await deps.authenticator.authenticate(request.headers.authorization);
  const admitted = admit(deps.personas, agent, "agent:card", authentication);
  if ("refusal" in admitted) return answer(reply, admitted.refusal);
  const cards = deps.cards();
  if (cards === undefined) return answer(reply, ABSENT);
  return sendCard(cards, admitted.persona, deps.changedAt, request, reply);
}

function sendCard(
  cards: Cards,
  persona: Persona,
  changedAt: number,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const asked = request.headers["a2a-version"];
  const { body, etag } = cards.of(persona, Array.isArray(asked) ? asked[0] : asked);
  const isPublic = persona.visibility === "public";
  reply
    .header("etag", etag)
    .header("last-modified", new Date(changedAt).toUTCString())
    .header("cache-control", isPublic ? "public, max-age=300" : "private, max-age=60")
    .header("vary", isPublic ? "A2A-Version" : "A2A-Version, Authorization");
  if (isUnchanged(request, etag, changedAt)) return reply.code(304).send();
  return reply.header("content-type", "application/json; charset=utf-8").send(body);
}

/** RFC 9110, 13.2.2: where both are there, the entity tag decides. */
function isUnchanged(request: FastifyRequest, etag: string, changedAt: number): boolean {
  const tags = request.headers["if-none-match"];
  if (tags !== undefined) {
    return tags.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
  }
  const since = Date.parse(request.headers["if-modified-since"] ?? "");
  return Math.floor(changedAt / 1000) * 1000 <= since;
}
