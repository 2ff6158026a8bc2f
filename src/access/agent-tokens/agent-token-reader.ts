import type { AgentName } from "../agent-name.js";
import {
  type Authentication,
  refused,
  type SignedToken,
  type TokenReader,
  type Unauthenticated,
} from "../authentication.js";
import type { HostedAgents } from "../hosted-agents.js";
import { type Jwt, readJwt } from "../jwt/read-jwt.js";
import { CLOCK_SKEW_MS, readTimes, type TokenTimes, untimely } from "../jwt/token-times.js";
import { parseSpiffeId } from "../policy/spiffe-id.js";
import { outsideTenant, type Principal } from "../principal.js";
import type { AgentKeys } from "./agent-keys.js";
import { agentOf, spiffeIdOf } from "./our-spiffe-id.js";
import { foreignKeyId, type TrustBundles } from "./trust-bundles.js";

export interface AgentTokenDeps {
  /** Of our agents. */
  trustDomain: string;
  keys: AgentKeys;
  bundles: TrustBundles;
  hosted: HostedAgents;
}

/** Tokens last minutes; one that would last longer than this was not made for a call, ms. */
export const LONGEST_MS = 3_600_000;

/** The clock of our nodes is one; that of others may be off. */
const OUR_BOUNDS = { skewMs: 0, longestMs: LONGEST_MS };
const THEIR_BOUNDS = { skewMs: CLOCK_SKEW_MS, longestMs: LONGEST_MS };

/** What a token says, and nobody has signed yet as far as we know. */
interface Claims {
  kid: string;
  spiffeId: string;
  trustDomain: string;
  audience: string;
  times: TokenTimes;
}

/**
 * Agents that call show a JWT-SVID (SPIFFE JWT-SVID, 2 and 3): signed with ES256, by a key of the very agent that it names
 * if that is one of ours, by a key of its trust domain if it is one of others, for the one agent that is called.
 */
export class AgentTokenReader implements TokenReader {
  readonly #deps: AgentTokenDeps;

  constructor(deps: AgentTokenDeps) {
    this.#deps = deps;
  }

  async read(text: string, agent: AgentName, now: number): Promise<SignedToken | Unauthenticated> {
    const jwt = readJwt(text);
    const claims = jwt === null ? null : readClaims(jwt);
    if (claims === null) return refused("malformed");
    const ours = claims.trustDomain === this.#deps.trustDomain;
    return ours ? this.#readOurs(text, claims, agent, now) : this.#readForeign(text, claims, agent, now);
  }

  async #readOurs(text: string, claims: Claims, agent: AgentName, now: number): Promise<SignedToken | Unauthenticated> {
    const { keys, hosted, trustDomain } = this.#deps;
    const { kid, spiffeId, times } = claims;
    const caller = agentOf(trustDomain, spiffeId);
    if (caller === null) return refused("unknown");
    const holder = (called: AgentName, time: number): Authentication => {
      const persona = hosted.get(caller.tenant, caller.name);
      if (persona === undefined) return refused("unknown");
      const why = this.#why(claims, called, time, OUR_BOUNDS);
      if (why !== null) return refused(why);
      const identity = { spiffeId, persona: caller, policy: persona.policy };
      return { principal: principal(caller.tenant, identity), keyId: kid, expiresAt: times.expiresAt };
    };
    const early = holder(agent, now);
    if (early.principal === null) return early;
    const key = await keys.find(caller, kid);
    if (key === null) return refused("unknown");
    if (!(await key.hasSigned(text, "ES256"))) return refused("signature");
    return { holder: (called, time) => (keys.peek(caller, kid) === key ? holder(called, time) : refused("revoked")) };
  }

  async #readForeign(
    text: string,
    claims: Claims,
    agent: AgentName,
    now: number,
  ): Promise<SignedToken | Unauthenticated> {
    const { bundles } = this.#deps;
    const { kid, spiffeId, trustDomain, times } = claims;
    const key = bundles.find(trustDomain, kid);
    if (key === null) return refused("unknown");
    const holder = (called: AgentName, time: number): Authentication => {
      const why = this.#why(claims, called, time, THEIR_BOUNDS);
      if (why !== null) return refused(why);
      return {
        principal: principal(outsideTenant(trustDomain), { spiffeId }),
        keyId: foreignKeyId(trustDomain, key),
        expiresAt: times.expiresAt + CLOCK_SKEW_MS,
      };
    };
    const early = holder(agent, now);
    if (early.principal === null) return early;
    if (!(await key.hasSigned(text, "ES256"))) return refused("signature");
    const isHeld = () => bundles.find(trustDomain, kid) === key;
    return { holder: (called, time) => (isHeld() ? holder(called, time) : refused("revoked")) };
  }

  #why({ audience, times }: Claims, called: AgentName, now: number, bounds: typeof OUR_BOUNDS) {
    if (audience !== spiffeIdOf(this.#deps.trustDomain, called)) return "audience";
    return untimely(times, now, bounds);
  }
}

const principal = (tenant: string, agent: Principal["agent"] & object): Principal => ({
  kind: "agent",
  subject: `agent:${agent.spiffeId}`,
  tenant,
  scopes: ["runs:execute"],
  agent,
});

const KID = /^[\x21-\x7e]{1,256}$/;

/**
 * Null unless the token is one that we could have made. The header has what it needs to have and nothing else: whatever more
 * stands there (`jwk`, `jku`, `x5c`, `crit`) is for having us take another key, or another meaning.
 */
function readClaims({ header, payload }: Jwt): Claims | null {
  const { alg, kid, typ = "JWT", ...more } = header;
  if (alg !== "ES256" || (typ !== "JWT" && typ !== "JOSE") || typeof kid !== "string" || !KID.test(kid)) return null;
  if (Object.keys(more).length > 0) return null;
  const { sub, aud } = payload;
  const audience = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud;
  const times = readTimes(payload);
  const id = typeof sub === "string" ? parseSpiffeId(sub) : null;
  if (id === null || id.path === "" || typeof audience !== "string" || times === null) return null;
  return { kid, spiffeId: sub as string, trustDomain: id.trustDomain, audience, times };
}
