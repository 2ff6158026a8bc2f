import { missingScope } from "../a2a/server/json-rpc.js";
import type { Authentication } from "../access/authenticate.js";
import { type Action, type Decision, decide } from "../access/decide.js";
import type { Persona } from "../personas/persona.js";
import type { PersonaRegistry } from "../personas/registry.js";
import { NuncioError } from "../shared/errors.js";
import type { AgentName } from "./agent-path.js";
import { ABSENT, type Answer, failed } from "./answer.js";

export interface Admitted {
  persona: Persona;
}

export interface Refused {
  refusal: Answer;
}

/**
 * The first guard of every path of an agent, for a caller who has been authenticated or was not: does the agent exist
 * for them, and may they do this. It runs before a byte of the body is read, and touches nothing but memory.
 *
 * The caller is authenticated before the agent is looked for, so that one that is not there takes as long as one that
 * is private.
 */
export function admit(
  personas: PersonaRegistry,
  agent: AgentName,
  action: Action,
  authentication: Authentication,
): Admitted | Refused {
  const persona = personas.get(agent.tenant, agent.name);
  if (persona === undefined) return { refusal: ABSENT };
  const { tenant, visibility } = persona;
  const decision = decide(authentication.principal, action, { type: "agent", tenant, visibility });
  return decision.allowed ? { persona } : { refusal: refusal(decision, authentication) };
}

function refusal(decision: Exclude<Decision, { allowed: true }>, authentication: Authentication): Answer {
  switch (decision.why) {
    case "absent":
      return ABSENT;
    case "scope":
      return failed(missingScope(decision.scope));
    case "unauthenticated": {
      const answer = failed(unauthenticated());
      return { ...answer, headers: { ...answer.headers, "www-authenticate": challenge(authentication) } };
    }
  }
}

const unauthenticated = (): NuncioError =>
  new NuncioError("unauthenticated", "a valid credential is required", {
    hint: "send the header Authorization: Bearer with an API key",
  });

/** RFC 6750, 3: without a credential the challenge names no error. */
function challenge(authentication: Authentication): string {
  const shown = authentication.principal === null && authentication.why !== "missing";
  return shown ? 'Bearer realm="nuncio", error="invalid_token"' : 'Bearer realm="nuncio"';
}
