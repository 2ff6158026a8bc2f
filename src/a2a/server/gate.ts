import type { AgentName } from "../../access/agent-name.js";
import type { Authenticated, Authentication, Authenticator, Credentials } from "../../access/authenticate.js";
import { type Action, decide } from "../../access/decide.js";
import type { Scope } from "../../access/principal.js";
import type { Persona } from "../../personas/persona.js";
import type { PersonaRegistry } from "../../personas/registry.js";

/** Who comes in, to whom. */
export interface Admitted {
  persona: Persona;
  /** Nobody in particular only where the action is open to everybody. */
  authentication: Authentication;
}

export type Refusal =
  /** The agent must look as if it did not exist, on every path, by every method. */
  | { why: "absent" }
  /** `shown` says that there was a credential, which is not valid. */
  | { why: "unauthenticated"; shown: boolean }
  | { why: "scope"; scope: Scope };

export type Entry = Admitted | { refusal: Refusal };

/**
 * The first guard of every path of an agent, on every binding: who calls, does the agent exist for them, and may they do
 * this. It comes before a byte of the body is read, and touches nothing but memory.
 *
 * The caller is authenticated before the agent is looked for, so that one that is not there takes as long as one that
 * is private.
 */
export class Gate {
  readonly #personas: PersonaRegistry;
  readonly #authenticator: Authenticator;

  constructor(personas: PersonaRegistry, authenticator: Authenticator) {
    this.#personas = personas;
    this.#authenticator = authenticator;
  }

  /**
   * Answers at once unless a credential has to be looked up.
   *
   * @param connection that the request came on
   */
  admit(agent: AgentName, action: Action, credentials: Credentials, connection: object): Entry | Promise<Entry> {
    const authentication = this.#authenticator.authenticate(credentials, agent, connection);
    return authentication instanceof Promise
      ? authentication.then((known) => this.#decide(agent, action, known))
      : this.#decide(agent, action, authentication);
  }

  #decide(agent: AgentName, action: Action, authentication: Authentication): Entry {
    const persona = this.#personas.get(agent.tenant, agent.name);
    if (persona === undefined) return { refusal: { why: "absent" } };
    const { tenant, visibility } = persona;
    const decision = decide(authentication.principal, action, { type: "agent", tenant, visibility });
    if (decision.allowed) return { persona, authentication };
    if (decision.why !== "unauthenticated") return { refusal: decision };
    return {
      refusal: {
        why: "unauthenticated",
        shown: authentication.principal === null && authentication.why !== "missing",
      },
    };
  }
}

/** Somebody was let in to call, who is therefore known. */
export function authenticatedIn({ authentication }: Admitted): Authenticated {
  if (authentication.principal === null) throw new Error("a call was allowed to nobody");
  return authentication;
}
