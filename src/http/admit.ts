import type { FastifyReply, FastifyRequest } from "fastify";
import { missingScope } from "../a2a/server/json-rpc.js";
import { failureAnswer } from "../a2a/server/json-rpc-answer.js";
import type { Authenticated, Authentication, Authenticator } from "../access/authenticate.js";
import { type Action, type Decision, decide } from "../access/decide.js";
import type { Persona } from "../personas/persona.js";
import type { PersonaRegistry } from "../personas/registry.js";
import { NuncioError } from "../shared/errors.js";
import { replyAbsent } from "./absent.js";

/** Who asks for which agent, once the guards have let the request pass. */
export interface Admitted {
  persona: Persona;
  authentication: Authentication;
}

/**
 * The first guards of every path of an agent: who is it, and does the agent exist for them. They run before a byte of
 * the body is read, and touch nothing but the keys.
 *
 * @returns null when the answer has been given
 */
export async function admit(
  deps: { personas: PersonaRegistry; authenticator: Authenticator },
  agent: { tenant: string; name: string },
  action: Action,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Admitted | null> {
  // Before the look-up, so that an agent that is not there takes as long as one that is private.
  const authentication = await deps.authenticator.authenticate(request.headers.authorization);
  const persona = deps.personas.get(agent.tenant, agent.name);
  const decision: Decision =
    persona === undefined
      ? { allowed: false, why: "absent" }
      : decide(authentication.principal, action, {
          type: "agent",
          tenant: persona.tenant,
          visibility: persona.visibility,
        });
  if (persona !== undefined && decision.allowed) return { persona, authentication };
  refuse(decision, authentication, reply);
  return null;
}

function refuse(decision: Decision, authentication: Authentication, reply: FastifyReply): void {
  if (decision.allowed || decision.why === "absent") {
    replyAbsent(reply);
  } else if (decision.why === "scope") {
    sendFailure(reply, missingScope(decision.scope));
  } else {
    reply.header("www-authenticate", challenge(authentication));
    sendFailure(
      reply,
      new NuncioError("unauthenticated", "a valid credential is required", {
        hint: "send the header Authorization: Bearer with an API key",
      }),
    );
  }
}

/** RFC 6750, 3: without a credential the challenge names no error. */
function challenge(authentication: Authentication): string {
  const shown = authentication.principal === null && authentication.why !== "missing";
  return shown ? 'Bearer realm="nuncio", error="invalid_token"' : 'Bearer realm="nuncio"';
}

export function sendFailure(reply: FastifyReply, error: unknown): void {
  const { status, body, headers } = failureAnswer(error);
  reply
    .code(status)
    .headers(headers ?? {})
    .header("content-type", "application/json; charset=utf-8")
    .send(body);
}

export const isAuthenticated = (authentication: Authentication): authentication is Authenticated =>
  authentication.principal !== null;
