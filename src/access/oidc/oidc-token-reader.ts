import type { Clock } from "../../shared/clock.js";
import type { JsonObject, JsonValue } from "../../shared/json.js";
import type { AgentName } from "../agent-name.js";
import {
  type Authentication,
  refused,
  type SignedToken,
  type TokenReader,
  type Unauthenticated,
} from "../authentication.js";
import { type Jwt, readJwt } from "../jwt/read-jwt.js";
import { CLOCK_SKEW_MS, readTimes, type TokenTimes, untimely } from "../jwt/token-times.js";
import { SCOPES, type Scope } from "../principal.js";
import { discoverKeys } from "./discovery.js";
import type { FetchJson } from "./fetch-json.js";
import { ProviderKeys } from "./provider-keys.js";
import { isAlgorithm } from "./signature-algorithms.js";

/** Whose tokens are believed, for what. */
export interface OidcProvider {
  /** As it stands in tokens, to the letter. */
  issuer: string;
  audience: string;
  /** Of everybody who comes with such a token. */
  tenant: string;
  /** What they may do; absent: as much of it as the token says. */
  scopes?: readonly Scope[] | undefined;
}

export interface OidcDeps {
  fetchJson: FetchJson;
  clock: Clock;
  /** Told when a provider cannot be asked for its keys. */
  onProblem(error: unknown, issuer: string): void;
}

const BOUNDS = { skewMs: CLOCK_SKEW_MS, longestMs: 30 * 86_400_000 };

interface Claims {
  algorithm: string;
  kid: string | undefined;
  issuer: string;
  audiences: readonly JsonValue[];
  subject: string;
  times: TokenTimes;
  scopes: readonly Scope[];
}

/**
 * People and programs that log in elsewhere show the token that they got there (RFC 9068, or what the provider issues instead).
 * One of an issuer that is not configured costs nothing but the reading of it.
 */
export class OidcTokenReader implements TokenReader {
  readonly #providers: readonly OidcProvider[];
  readonly #keys: ReadonlyMap<string, ProviderKeys>;

  constructor(providers: readonly OidcProvider[], { fetchJson, clock, onProblem }: OidcDeps) {
    this.#providers = providers;
    this.#keys = new Map(
      providers.map(({ issuer }) => [
        issuer,
        new ProviderKeys(
          () => discoverKeys(issuer, fetchJson),
          clock,
          (error) => onProblem(error, issuer),
        ),
      ]),
    );
  }

  async read(text: string, _agent: AgentName, now: number): Promise<SignedToken | Unauthenticated> {
    const jwt = readJwt(text);
    const claims = jwt === null ? null : readClaims(jwt);
    if (claims === null) return refused("malformed");
    const { issuer, audiences, kid, algorithm } = claims;
    const keys = this.#keys.get(issuer);
    if (keys === undefined) return refused("unknown");
    const provider = this.#providers.find((one) => one.issuer === issuer && audiences.includes(one.audience));
    if (provider === undefined) return refused("audience");
    const holder = (time: number) => holderOf(claims, provider, time);
    const early = holder(now);
    if (early.principal === null) return early;
    const key = await keys.find(kid, algorithm);
    if (key === null) return refused("unknown");
    if (!(await key.hasSigned(text, algorithm))) return refused("signature");
    return { holder: (_called, time) => (keys.has(key) ? holder(time) : refused("revoked")) };
  }
}

function holderOf(
  { subject, times, scopes }: Claims,
  { issuer, tenant, scopes: given }: OidcProvider,
  now: number,
): Authentication {
  const why = untimely(times, now, BOUNDS);
  if (why !== null) return refused(why);
  return {
    // No issuer has a `#` in it: what stands behind the first one is the provider's, whatever it is.
    principal: { kind: "user", subject: `oidc:${issuer}#${subject}`, tenant, scopes: given ?? scopes },
    keyId: `oidc:${issuer}`,
    expiresAt: times.expiresAt + CLOCK_SKEW_MS,
  };
}

/** They say which key to take, or that there is more to know than we do. */
const REFUSED_HEADERS = ["crit", "jwk", "jku", "x5u", "b64", "zip", "enc"];
const TYPES = ["JWT", "AT+JWT", "APPLICATION/AT+JWT"];
const KID = /^[\x20-\x7e]{1,256}$/;
/** OpenID Connect Core 1.0, 2: at most 255 characters. It is shown and stored. */
const SUBJECT = /^[^\p{Cc}\p{Surrogate}]{1,255}$/u;
const MAX_AUDIENCES = 20;

function readClaims({ header, payload }: Jwt): Claims | null {
  const { alg, kid, typ = "JWT" } = header;
  if (!isAlgorithm(alg) || typeof typ !== "string" || !TYPES.includes(typ.toUpperCase())) return null;
  if (REFUSED_HEADERS.some((name) => Object.hasOwn(header, name))) return null;
  if (kid !== undefined && (typeof kid !== "string" || !KID.test(kid))) return null;
  const { iss, sub, aud } = payload;
  if (typeof iss !== "string" || typeof sub !== "string" || !SUBJECT.test(sub)) return null;
  const audiences = Array.isArray(aud) ? aud : [aud ?? null];
  const times = readTimes(payload);
  if (audiences.length > MAX_AUDIENCES || times === null) return null;
  return { algorithm: alg, kid, issuer: iss, audiences, subject: sub, times, scopes: scopesIn(payload) };
}

/** RFC 8693, 4.2 has them as words of one text; others as a list, or under another name. */
function scopesIn({ scope, scp }: JsonObject): Scope[] {
  const named = [scope, scp].flatMap((value) => (typeof value === "string" ? value.split(" ") : (value ?? [])));
  return SCOPES.filter((known) => named.includes(known));
}
