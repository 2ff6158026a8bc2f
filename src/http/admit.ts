import { missingScope } from "../a2a/server/json-rpc.js";
import type { Authentication, Authenticator } from "../access/authenticate.js";
import { type Action, type Decision, decide } from "../access/decide.js";
import type { Persona } from "../personas/persona.js";
import type { PersonaRegistry } from "../personas/registry.js";
import { NuncioError } from "../shared/errors.js";
import type { AgentName } from "./agent-path.js";
import { ABSENT, type Answer, failed } from "./answer.js";

/** Who asks for which agent, once the guards have let the request pass. */
export interface Admitted {
  persona: Persona;
  authentication: Authentication;
}

export interface Refused {
  refusal: Answer;
}

export interface AdmitDeps {
  personas: PersonaRegistry;
  authenticator: Authenticator;
}

/**
 * The first guards of every path of an agent: who is it, and does the agent exist for them. They run before a byte of
 * the body is read, and touch nothing but the keys.
 *
 * @param authorization the header of that name
 */
export async function admit(
  { personas, authenticator }: AdmitDeps,
  agent: AgentName,
  action: Action,
  authorization: string | undefined,
): Promise<Admitted | Refused> {
  // Before the look-up, so that an agent that is not there takes as long as one that is private.
  const authentication = await authenticator.authenticate(authorization);
  const persona = personas.get(agent.tenant, agent.name);
  if (persona === undefined) return { refusal: ABSENT };
  const { tenant, visibility } = persona;
  const decision = decide(authentication.principal, action, { type: "agent", tenant, visibility });
  return decision.allowed ? { persona, authentication } : { refusal: refusal(decision, authentication) };
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
