import type { Clock } from "../shared/clock.js";
import type { ApiKey } from "./access-store.js";
import type { AgentName } from "./agent-name.js";
import { hashApiKey, isApiKey, userSubject } from "./api-key.js";
import type { KeyCache } from "./key-cache.js";
import { anonymous, type Principal } from "./principal.js";

/** Who calls, or why we do not know. The reason is for logs: the caller learns only that the credential is not valid. */
export type Authentication = Authenticated | Unauthenticated;

export interface Authenticated {
  principal: Principal;
  /** The key that was shown, so that what it opened ends when it is revoked or expires. */
  keyId?: string;
  expiresAt?: number;
}

export interface Unauthenticated {
  principal: null;
  why: "missing" | "malformed" | "unknown" | "revoked" | "expired";
}

/** What a request shows of who it comes from, as it came. */
export interface Credentials {
  /** The `Authorization` header. */
  authorization: string | undefined;
}

export class Authenticator {
  readonly #keys: KeyCache;
  readonly #clock: Clock;
  readonly #anonymous: boolean;
  /** What each connection showed last: nearly always the same, and looking at it took 6 µs of a request. */
  readonly #shown = new WeakMap<object, Shown>();

  constructor(keys: KeyCache, clock: Clock, options: { anonymous: boolean }) {
    this.#keys = keys;
    this.#clock = clock;
    this.#anonymous = options.anonymous;
  }

  /**
   * Answers at once unless the key has to be looked up, which it has the first time that it is seen. A credential that is
   * there and not valid is never taken for anonymous.
   *
   * @param _agent that is called
   * @param connection that the request came on
   */
  authenticate(
    { authorization }: Credentials,
    _agent: AgentName,
    connection: object,
  ): Authentication | Promise<Authentication> {
    if (authorization === undefined) {
      return this.#anonymous ? { principal: anonymous } : { principal: null, why: "missing" };
    }
    const hash = this.#hashOf(authorization, connection);
    if (hash === null) return { principal: null, why: "malformed" };
    const key = this.#keys.peek(hash);
    return key === undefined
      ? this.#keys.keyByHash(hash).then((found) => authenticatedBy(found, this.#clock.now()))
      : authenticatedBy(key, this.#clock.now());
  }

  /** Of the key in the header; null when none is in it. Whether the key is valid is asked anew each time. */
  #hashOf(authorization: string, connection: object): string | null {
    const shown = this.#shown.get(connection);
    if (shown?.authorization === authorization) return shown.hash;
    const token = bearerToken(authorization);
    const hash = token === null || !isApiKey(token) ? null : hashApiKey(token);
    this.#shown.set(connection, { authorization, hash });
    return hash;
  }
}

interface Shown {
  authorization: string;
  hash: string | null;
}

function authenticatedBy(key: ApiKey | null, now: number): Authentication {
  if (key === null) return { principal: null, why: "unknown" };
  if (key.revokedAt !== null) return { principal: null, why: "revoked" };
  if (key.expiresAt !== null && key.expiresAt <= now) return { principal: null, why: "expired" };
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
