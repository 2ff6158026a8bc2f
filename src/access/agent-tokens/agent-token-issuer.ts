import type { Clock } from "../../shared/clock.js";
import { invalidArgument, NuncioError, notFound } from "../../shared/errors.js";
import { newId } from "../../shared/ids.js";
import type { AgentName } from "../agent-name.js";
import type { HostedAgents } from "../hosted-agents.js";
import { newP256Key, thumbprint } from "../jwt/p256-key.js";
import { CLOCK_SKEW_MS } from "../jwt/token-times.js";
import { parseSpiffeId } from "../policy/spiffe-id.js";
import type { Sealer } from "../sealing/sealer.js";
import type { AgentKeys } from "./agent-keys.js";
import { LONGEST_MS } from "./agent-token-reader.js";
import { agentIdOf, agentNamed, agentOf, spiffeIdOf } from "./our-spiffe-id.js";
import { type SealedSigningKey, type SigningKey, type SigningKeyStore, sealPurpose } from "./signing-key.js";

export interface IssuerDeps {
  /** Of our agents; without one they have no ids, and no tokens. */
  trustDomain: string | undefined;
  store: SigningKeyStore;
  keys: AgentKeys;
  sealer: Sealer;
  hosted: HostedAgents;
  clock: Clock;
}

export interface AgentToken {
  token: string;
  /** SPIFFE ids of who shows it and of whom it is shown to. */
  subject: string;
  audience: string;
  /** ms */
  expiresAt: number;
}

/** A token may be believed for so long after its key has signed for the last time, ms. */
const OVERLAP_MS = LONGEST_MS + 2 * CLOCK_SKEW_MS;

/** Makes the tokens by which our agents are known to others, and the keys that these are signed with. */
export class AgentTokenIssuer {
  readonly #deps: IssuerDeps;

  constructor(deps: IssuerDeps) {
    this.#deps = deps;
  }

  /**
   * @param audience a SPIFFE id, or the id of an agent of ours: `desk`, `acme/desk`
   * @param lifetimeMs at most an hour
   */
  async mint(agent: AgentName, audience: string, lifetimeMs: number): Promise<AgentToken> {
    const { clock, sealer } = this.#deps;
    const trustDomain = this.#trustDomain();
    this.#require(agent);
    const target = this.#audience(trustDomain, audience);
    const { key, sealed } = await this.#signingKey(agent);
    const jwk = JSON.parse(sealer.open(sealed, sealPurpose(key)));
    const subject = spiffeIdOf(trustDomain, agent);
    const issuedAt = Math.floor(clock.now() / 1000);
    const expiresAt = Math.floor((clock.now() + lifetimeMs) / 1000);
    const { importJWK, SignJWT } = await import("jose");
    const token = await new SignJWT({ sub: subject, aud: target, jti: newId() })
      .setProtectedHeader({ alg: "ES256", kid: key.kid, typ: "JWT" })
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(await importJWK(jwk, "ES256"));
    return { token, subject, audience: target, expiresAt: expiresAt * 1000 };
  }

  /**
   * From here on another key signs. What the old ones have signed counts until it ends by itself, or, `atOnce`, no more:
   * that is for a key that somebody else may have.
   */
  async rotate(agent: AgentName, { atOnce }: { atOnce: boolean }): Promise<{ kid: string; before: SigningKey[] }> {
    const { store, keys, clock } = this.#deps;
    this.#trustDomain();
    this.#require(agent);
    const now = clock.now();
    const made = this.#newKey(agent, now);
    const acceptedUntil = atOnce ? now : now + OVERLAP_MS;
    const retired = await store.rotateSigningKey({ ...made, now, acceptedUntil });
    const before = retired.map((key) => ({
      ...key,
      retiredAt: key.retiredAt ?? now,
      acceptedUntil: Math.min(key.acceptedUntil ?? acceptedUntil, acceptedUntil),
    }));
    for (const key of [...before, made.key]) keys.note(key);
    return { kid: made.key.kid, before };
  }

  /** The keys by which others verify what this agent signs; makes its first one. */
  async keysOf(agent: AgentName): Promise<SigningKey[]> {
    this.#trustDomain();
    this.#require(agent);
    await this.#signingKey(agent);
    return this.#deps.keys.of(agent);
  }

  /** The keys of all agents that have any. */
  allKeys(): SigningKey[] {
    this.#trustDomain();
    return this.#deps.keys.all();
  }

  /** Asked of the store each time: another node may have made another one a moment ago. */
  async #signingKey(agent: AgentName): Promise<SealedSigningKey> {
    const { store, keys, clock } = this.#deps;
    const found = (await store.signingKey(agent)) ?? (await store.firstSigningKey(this.#newKey(agent, clock.now())));
    keys.note(found.key);
    return found;
  }

  #newKey({ tenant, name }: AgentName, now: number): SealedSigningKey {
    const { publicKey, privateKey } = newP256Key();
    const kid = thumbprint(publicKey);
    const key: SigningKey = { tenant, name, kid, publicKey, createdAt: now, retiredAt: null, acceptedUntil: null };
    return { key, sealed: this.#deps.sealer.seal(privateKey, sealPurpose(key)) };
  }

  #audience(trustDomain: string, audience: string): string {
    if (!audience.startsWith("spiffe:")) {
      const agent = agentNamed(audience);
      if (agent === null) throw noAudience();
      this.#require(agent);
      return spiffeIdOf(trustDomain, agent);
    }
    const id = parseSpiffeId(audience);
    if (id === null || id.path === "") throw noAudience();
    if (id.trustDomain !== trustDomain) return audience;
    const agent = agentOf(trustDomain, audience);
    if (agent === null) throw notFound("agent", audience, PERSONA_HINT);
    this.#require(agent);
    return audience;
  }

  #require(agent: AgentName): void {
    if (this.#deps.hosted.get(agent.tenant, agent.name) !== undefined) return;
    throw notFound("agent", agentIdOf(agent), PERSONA_HINT);
  }

  #trustDomain(): string {
    const { trustDomain } = this.#deps;
    if (trustDomain !== undefined) return trustDomain;
    throw new NuncioError("failed_precondition", "agents have no ids without a trust domain, and no tokens", {
      field: "access.trustDomain",
      hint: "set one in nuncio.yaml, such as access: { trustDomain: example.com }, and start the daemon again",
    });
  }
}

const PERSONA_HINT = "`nuncio persona list` shows what is hosted";

const noAudience = (): NuncioError =>
  invalidArgument("audience", "the audience is neither a SPIFFE id nor the id of an agent", {
    hint: "use one such as spiffe://example.com/agents/desk, or desk, or acme/desk",
  });
