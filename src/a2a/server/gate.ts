import type { AgentName } from "../../access/agent-name.js";
import type { Authenticated, Authentication, Authenticator, Credentials } from "../../access/authenticate.js";
import { type AgentAction, type AgentResource, decide } from "../../access/decide.js";
import type { AccessLimits } from "../../access/limits/access-limits.js";
import { RateLimit } from "../../access/limits/rate-limit.js";
import { remoteNetwork } from "../../access/limits/remote-network.js";
import { inboundPerMinute } from "../../access/policy/agent-policy.js";
import type { Principal, Scope } from "../../access/principal.js";
import type { Persona } from "../../personas/persona.js";
import type { PersonaRegistry } from "../../personas/registry.js";
import type { Clock } from "../../shared/clock.js";
import type { Caller } from "./caller.js";

/** Who comes in, to whom. */
export interface Admitted {
  persona: Persona;
  /** What was decided on. */
  agent: AgentResource;
  /** What it was let in with, so that it can be decided on again. */
  shown: Shown;
  /** Nobody in particular only where the action is open to everybody. */
  authentication: Authentication;
}

/** Where a request came from. */
export interface Connection {
  readonly remoteAddress?: string | undefined;
}

interface Shown {
  credentials: Credentials;
  connection: Connection;
  /** How often what is decided by had changed. */
  changes: number;
}

export type Refusal =
  /** The agent must look as if it did not exist, on every path, by every method. */
  | { why: "absent" }
  /** `shown` says that there was a credential, which is not valid. */
  | { why: "unauthenticated"; shown: boolean }
  | { why: "scope"; scope: Scope }
  | { why: "policy" }
  | { why: "limited"; retryAfterSeconds: number };

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
  readonly #clock: Clock;
  readonly #urlOf: (agent: AgentName) => string | undefined;
  #authenticator: Authenticator;
  #limits: AccessLimits;
  #changes = 0;
  /** Requests of callers, calls of agents, and refusals of addresses, each counted for itself. */
  readonly #requests = new RateLimit();
  readonly #inbound = new RateLimit();
  readonly #refused = new RateLimit();

  /** @param urlOf where an agent is called, as its card says; undefined while cards are not served */
  constructor(
    personas: PersonaRegistry,
    authenticator: Authenticator,
    options: { urlOf: (agent: AgentName) => string | undefined; limits: AccessLimits; clock: Clock },
  ) {
    this.#personas = personas;
    this.#authenticator = authenticator;
    this.#urlOf = options.urlOf;
    this.#limits = options.limits;
    this.#clock = options.clock;
  }

  get limits(): AccessLimits {
    return this.#limits;
  }

  /** Who may do what is different from now on: the personas are others, or those who are believed, or the limits. */
  changed({ authenticator, limits }: { authenticator: Authenticator; limits: AccessLimits }): void {
    this.#authenticator = authenticator;
    this.#limits = limits;
    this.#changes += 1;
  }

  changedSince({ shown }: Admitted): boolean {
    return shown.changes !== this.#changes;
  }

  /**
   * Answers at once unless a credential has to be looked up.
   *
   * @param connection that the request came on
   */
  admit(
    agent: AgentName,
    action: AgentAction,
    credentials: Credentials,
    connection: Connection,
  ): Entry | Promise<Entry> {
    const authentication = this.#authenticator.authenticate(credentials, agent, connection);
    const shown: Shown = { credentials, connection, changes: this.#changes };
    return authentication instanceof Promise
      ? authentication.then((known) => this.#enter(agent, action, known, shown))
      : this.#enter(agent, action, authentication, shown);
  }

  /** What `admit` would say of the same call now. It counts for no limit: nothing more is asked for. */
  admitAgain({ persona: { tenant, name }, shown }: Admitted): Entry | Promise<Entry> {
    const agent = { tenant, name };
    const again = { ...shown, changes: this.#changes };
    const authentication = this.#authenticator.authenticate(shown.credentials, agent, shown.connection);
    return authentication instanceof Promise
      ? authentication.then((known) => this.#decide(agent, "agent:call", known, again))
      : this.#decide(agent, "agent:call", authentication, again);
  }

  /**
   * Whom no agent would let in, for listeners where only the message says which one is meant: such a caller hears the same
   * of all of them, whether they exist or not.
   */
  turnAway(credentials: Credentials, connection: Connection): Refusal | undefined | Promise<Refusal | undefined> {
    // For whom the token of an agent was made, and with that whether it is valid, shows when the agent is known.
    if (credentials.agentToken !== undefined && credentials.authorization === undefined) return undefined;
    const authentication = this.#authenticator.authenticate(credentials, NO_AGENT, connection);
    return authentication instanceof Promise
      ? authentication.then((known) => this.#turnAway(known, connection))
      : this.#turnAway(authentication, connection);
  }

  #turnAway(authentication: Authentication, connection: Connection): Refusal | undefined {
    if (authentication.principal !== null) return undefined;
    const refusal: Refusal = { why: "unauthenticated", shown: authentication.why !== "missing" };
    const entry = this.#refuse({ refusal }, connection);
    return "refusal" in entry ? entry.refusal : undefined;
  }

  /** Limits come first, so that they tell nothing of the agent. */
  #enter(agent: AgentName, action: AgentAction, authentication: Authentication, shown: Shown): Entry {
    const { principal } = authentication;
    const { requestsPerMinute } = this.#limits;
    if (principal !== null && requestsPerMinute !== undefined) {
      const wait = this.#requests.take(principal.subject, requestsPerMinute, this.#clock.now());
      if (wait > 0) return limited(wait);
    }
    const entry = this.#decide(agent, action, authentication, shown);
    if (principal === null && "refusal" in entry) return this.#refuse(entry, shown.connection);
    if (principal?.agent === undefined || "refusal" in entry || action !== "agent:call") return entry;
    return this.#callOfAgent(entry, principal.agent.spiffeId);
  }

  /** Somebody unknown is refused, until he is told only that it was too often. */
  #refuse(refused: Entry, { remoteAddress }: Connection): Entry {
    if (remoteAddress === undefined) return refused;
    const { unauthenticatedPerMinute } = this.#limits;
    const wait = this.#refused.take(remoteNetwork(remoteAddress), unauthenticatedPerMinute, this.#clock.now());
    return wait > 0 ? limited(wait) : refused;
  }

  #callOfAgent(entry: Admitted, spiffeId: string): Entry {
    const perMinute = inboundPerMinute(entry.persona.policy);
    if (perMinute === undefined) return entry;
    const { tenant, name } = entry.persona;
    const wait = this.#inbound.take(`${tenant}/${name} ${spiffeId}`, perMinute, this.#clock.now());
    return wait > 0 ? limited(wait) : entry;
  }

  /**
   * Whether one of these would be let in to an agent now: for what is sent to callers that show nothing at that moment. Of
   * an agent that is not here others know, since its tasks may be another node's.
   */
  wouldAdmit(principals: readonly Principal[], { tenant, name }: AgentName): boolean {
    const persona = this.#personas.get(tenant, name);
    if (persona === undefined) return true;
    return principals.some((principal) => decide(principal, "agent:call", this.#resource(persona, principal)).allowed);
  }

  #decide(agent: AgentName, action: AgentAction, authentication: Authentication, shown: Shown): Entry {
    const persona = this.#personas.get(agent.tenant, agent.name);
    if (persona === undefined) return { refusal: ABSENT };
    const resource = this.#resource(persona, authentication.principal);
    const decision = decide(authentication.principal, action, resource);
    if (decision.allowed) return { persona, agent: resource, authentication, shown };
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
}

const ABSENT: Refusal = { why: "absent" };

const limited = (retryAfterSeconds: number): Entry => ({ refusal: { why: "limited", retryAfterSeconds } });

const NO_AGENT: AgentName = { tenant: "", name: "" };

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
