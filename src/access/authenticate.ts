import type { Clock } from "../shared/clock.js";
import type { ApiKey } from "./access-store.js";
import type { AgentName } from "./agent-name.js";
import { hashApiKey, isApiKey, userSubject } from "./api-key.js";
import {
  type Authentication,
  type Credentials,
  refused,
  type SignedToken,
  type TokenReader,
  type Unauthenticated,
} from "./authentication.js";
import { looksLikeJwt } from "./jwt/read-jwt.js";
import type { KeyCache } from "./key-cache.js";
import { isOwnMachine } from "./own-machine.js";
import { anonymous, type Principal } from "./principal.js";

export type { Authenticated, Authentication, Credentials } from "./authentication.js";

export interface AuthenticatorOptions {
  /** Whether a call without a credential is let in. */
  anonymous: boolean;
  /** Believes tokens of agents; without it there are none. */
  agentTokens?: TokenReader | undefined;
  /** Believes tokens that identity providers have issued; without it there are none. */
  bearerTokens?: TokenReader | undefined;
  /** Told why a credential was not taken, which its holder never is. */
  onRefused?: ((why: Unauthenticated["why"], agent: AgentName) => void) | undefined;
}

export class Authenticator {
  readonly #keys: KeyCache;
  readonly #clock: Clock;
  readonly #options: AuthenticatorOptions;
  /** What each connection showed last: nearly always the same, and looking at it took 6 µs of a request. */
  readonly #shown = new WeakMap<object, Shown>();
  /** The same for tokens, whose signature costs far more. */
  readonly #signed = new WeakMap<object, Signed>();

  constructor(keys: KeyCache, clock: Clock, options: AuthenticatorOptions) {
    this.#keys = keys;
    this.#clock = clock;
    this.#options = options;
  }

  /**
   * Answers at once unless a key has to be looked up, or a token verified, which it has the first time that it is seen. A
   * credential that is there and not valid is never taken for anonymous, and of two at once neither counts: who puts one of
   * them there may not know of the other.
   *
   * @param agent that is called
   * @param connection that the request came on
   */
  authenticate(
    credentials: Credentials,
    agent: AgentName,
    connection: object,
  ): Authentication | Promise<Authentication> {
    const answer = this.#authenticate(credentials, agent, connection);
    return answer instanceof Promise ? answer.then((known) => this.#told(known, agent)) : this.#told(answer, agent);
  }

  #told(answer: Authentication, agent: AgentName): Authentication {
    if (answer.principal === null && answer.why !== "missing") this.#options.onRefused?.(answer.why, agent);
    return answer;
  }

  #authenticate(
    { authorization, agentToken, host }: Credentials,
    agent: AgentName,
    connection: object,
  ): Authentication | Promise<Authentication> {
    if (agentToken !== undefined) {
      if (authorization !== undefined) return refused("ambiguous");
      return this.#byToken(this.#options.agentTokens, agentToken, agent, connection);
    }
    if (authorization === undefined) return this.#withoutCredential(host);
    const { hash, jwt } = this.#look(authorization, connection);
    if (jwt !== null) return this.#byToken(this.#options.bearerTokens, jwt, agent, connection);
    if (hash === null) return refused("malformed");
    const key = this.#keys.peek(hash);
    return key === undefined
      ? this.#keys.keyByHash(hash).then((found) => authenticatedBy(found, this.#clock.now()))
      : authenticatedBy(key, this.#clock.now());
  }

  #withoutCredential(host: string | undefined): Authentication {
    if (!this.#options.anonymous) return refused("missing");
    return host === undefined || isOwnMachine(host) ? { principal: anonymous } : refused("foreign host");
  }

  /** What is in the header. Whether it is valid is asked anew each time. */
  #look(authorization: string, connection: object): Shown {
    const last = this.#shown.get(connection);
    if (last?.authorization === authorization) return last;
    const token = bearerToken(authorization);
    const shown = {
      authorization,
      hash: token !== null && isApiKey(token) ? hashApiKey(token) : null,
      jwt: token !== null && looksLikeJwt(token) ? token : null,
    };
    this.#shown.set(connection, shown);
    return shown;
  }

  #byToken(
    reader: TokenReader | undefined,
    text: string,
    agent: AgentName,
    connection: object,
  ): Authentication | Promise<Authentication> {
    if (reader === undefined) return refused("unknown");
    const last = this.#signed.get(connection);
    if (last?.text === text && last.reader === reader) return last.token.holder(agent, this.#clock.now());
    return reader.read(text, agent, this.#clock.now()).then((token) => {
      if ("principal" in token) return token;
      this.#signed.set(connection, { text, reader, token });
      return token.holder(agent, this.#clock.now());
    });
  }
}

interface Shown {
  authorization: string;
  /** Of an API key or a session token. */
  hash: string | null;
  jwt: string | null;
}

interface Signed {
  text: string;
  /** A token counts only as what it was read as. */
  reader: TokenReader;
  token: SignedToken;
}

function authenticatedBy(key: ApiKey | null, now: number): Authentication {
  if (key === null) return refused("unknown");
  if (key.revokedAt !== null) return refused("revoked");
  if (key.expiresAt !== null && key.expiresAt <= now) return refused("expired");
  const principal: Principal = {
    kind: "user",
    subject: userSubject(key.tenant, key.name),
    tenant: key.tenant,
    scopes: key.scopes,
  };
  return key.expiresAt === null ? { principal, keyId: key.id } : { principal, keyId: key.id, expiresAt: key.expiresAt };
}

/** The token of a `Bearer` header (RFC 6750; the scheme is case-insensitive), or null. */
function bearerToken(header: string): string | null {
  const match = /^bearer +([^\s]+) *$/i.exec(header);
  return match?.[1] ?? null;
}
