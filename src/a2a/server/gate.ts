import type { AgentName } from "../../access/agent-name.js";
import type { Authenticated, Authentication, Authenticator, Credentials } from "../../access/authenticate.js";
import { type AgentAction, type AgentResource, decide } from "../../access/decide.js";
import type { Principal, Scope } from "../../access/principal.js";
import type { Persona } from "../../personas/persona.js";
import type { PersonaRegistry } from "../../personas/registry.js";
import type { Caller } from "./caller.js";

/** Who comes in, to whom. */
export interface Admitted {
  persona: Persona;
  /** What was decided on. */
  agent: AgentResource;
  /** Nobody in particular only where the action is open to everybody. */
  authentication: Authentication;
}

export type Refusal =
  /** The agent must look as if it did not exist, on every path, by every method. */
  | { why: "absent" }
  /** `shown` says that there was a credential, which is not valid. */
  | { why: "unauthenticated"; shown: boolean }
  | { why: "scope"; scope: Scope }
  | { why: "policy" };

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
  readonly #urlOf: (agent: AgentName) => string | undefined;

  /** @param urlOf where an agent is called, as its card says; undefined while cards are not served */
  constructor(
    personas: PersonaRegistry,
    authenticator: Authenticator,
    urlOf: (agent: AgentName) => string | undefined,
  ) {
    this.#personas = personas;
    this.#authenticator = authenticator;
    this.#urlOf = urlOf;
  }

  /**
   * Answers at once unless a credential has to be looked up.
   *
   * @param connection that the request came on
   */
  admit(agent: AgentName, action: AgentAction, credentials: Credentials, connection: object): Entry | Promise<Entry> {
    const authentication = this.#authenticator.authenticate(credentials, agent, connection);
    return authentication instanceof Promise
      ? authentication.then((known) => this.#decide(agent, action, known))
      : this.#decide(agent, action, authentication);
  }

  #decide(agent: AgentName, action: AgentAction, shown: Authentication): Entry {
    const authentication = this.#withPolicy(shown);
    const persona = this.#personas.get(agent.tenant, agent.name);
    if (persona === undefined) return { refusal: ABSENT };
    const resource = this.#resource(persona, authentication.principal);
    const decision = decide(authentication.principal, action, resource);
    if (decision.allowed) return { persona, agent: resource, authentication };
    if (decision.why !== "unauthenticated") return { refusal: decision };
    return {
      refusal: {
        why: "unauthenticated",
        shown: authentication.principal === null && authentication.why !== "missing",
      },
    };
  }

  #resource({ tenant, name, visibility, policy }: Persona, principal: Principal | null): AgentResource {
    if (principal?.agent === undefined) return { type: "agent", tenant, visibility };
    return { type: "agent", tenant, visibility, policy, url: this.#urlOf({ tenant, name }) };
  }

  /** An agent of ours may call what its policy allows at this moment, whatever it was when its token was made. */
  #withPolicy(authentication: Authentication): Authentication {
    const agent = authentication.principal?.agent;
    if (agent?.persona === undefined || authentication.principal === null) return authentication;
    const { tenant, name } = agent.persona;
    const policy = this.#personas.get(tenant, name)?.policy;
    return { ...authentication, principal: { ...authentication.principal, agent: { ...agent, policy } } };
  }
}

const ABSENT: Refusal = { why: "absent" };

/** Somebody was let in to call, who is therefore known. */
export function authenticatedIn({ authentication }: Admitted): Authenticated {
  if (authentication.principal === null) throw new Error("a call was allowed to nobody");
  return authentication;
}

/** The caller in what somebody was let in to call. */
export const callerIn = (entry: Admitted): Caller => ({
  principal: authenticatedIn(entry).principal,
  persona: entry.persona,
  agent: entry.agent,
});
