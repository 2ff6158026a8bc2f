import { hash, timingSafeEqual } from "node:crypto";
import { decide } from "../../../access/decide.js";
import { RateLimit } from "../../../access/limits/rate-limit.js";
import { remoteNetwork } from "../../../access/limits/remote-network.js";
import { peerPrincipal } from "../../../access/principal.js";
import type { Persona } from "../../../personas/persona.js";
import type { Grant } from "../../../plans/grant.js";
import type { Clock } from "../../../shared/clock.js";
import { hexOf } from "../../../shared/digest.js";
import type { Admitted, Connection, Refusal } from "../gate.js";
import type { Door } from "../open-calls.js";
import type { ServedGrant } from "./load-grants.js";

/** Somebody whom a grant has let in. */
export interface AdmittedPeer extends Admitted {
  grant: Grant;
}

export type PeerEntry = AdmittedPeer | { refusal: Refusal };

/** What one peer may ask, and what strangers may try, whatever the configuration says of others. */
const PEER_LIMITS = {
  requestsPerMinute: 60,
  /** Streams and waiting calls at a time. */
  streams: 8,
  /** Refused requests of one address, after which it hears only that it was too often. */
  unauthenticatedPerMinute: 60,
} as const;

/**
 * Who may come in by a grant. The credential decides which grant is meant, and with that who the peer is and to what it is
 * let in; nothing else of a request does. It comes before a byte of the body is read, and touches nothing but memory.
 */
export class GrantDoor implements Door<AdmittedPeer> {
  readonly limits = PEER_LIMITS;
  readonly #clock: Clock;
  #served: readonly { digest: Buffer; served: ServedGrant }[] = [];
  readonly #revoked = new Set<string>();
  #changes = 0;
  readonly #requests = new RateLimit();
  readonly #refused = new RateLimit();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Which grants are served from now on. */
  replace(served: readonly ServedGrant[]): void {
    this.#served = served.map((one) => ({ digest: digestIn(one.grant), served: one }));
    this.#changes += 1;
  }

  /** From here on it lets nobody in; calls that are open are for somebody else to end. */
  revoke(id: string): void {
    // Also one that is not served: it may be on its way here, in a file that is being taken.
    this.#revoked.add(id);
  }

  /** How many let somebody in now. */
  get inForce(): number {
    const now = this.#clock.now();
    return this.served.filter(({ grant }) => !this.#revoked.has(grant.id) && grant.expiresAt > now).length;
  }

  get served(): readonly ServedGrant[] {
    return this.#served.map(({ served }) => served);
  }

  changedSince({ shown }: AdmittedPeer): boolean {
    return shown.changes !== this.#changes;
  }

  admit(authorization: string | undefined, connection: Connection): PeerEntry {
    const entry = this.#enter(authorization, connection);
    const now = this.#clock.now();
    if ("refusal" in entry) {
      const { remoteAddress } = connection;
      if (remoteAddress === undefined) return entry;
      const wait = this.#refused.take(remoteNetwork(remoteAddress), PEER_LIMITS.unauthenticatedPerMinute, now);
      return wait > 0 ? limited(wait) : entry;
    }
    const wait = this.#requests.take(entry.grant.peer, PEER_LIMITS.requestsPerMinute, now);
    return wait > 0 ? limited(wait) : entry;
  }

  /** It counts for no limit: nothing more is asked for. */
  admitAgain({ shown }: AdmittedPeer): PeerEntry {
    return this.#enter(shown.credentials.authorization, shown.connection);
  }

  #enter(authorization: string | undefined, connection: Connection): PeerEntry {
    const served = this.#grantOf(authorization);
    const refusal: Refusal = { why: "unauthenticated", shown: authorization !== undefined };
    if (served === undefined) return { refusal };
    const { grant } = served;
    if (this.#revoked.has(grant.id) || grant.expiresAt <= this.#clock.now()) return { refusal };
    const principal = peerPrincipal(grant.peer);
    const persona = agentOf(served);
    const agent = {
      type: "agent",
      tenant: persona.tenant,
      visibility: "private",
      grantedTo: principal.subject,
    } as const;
    if (!decide(principal, "agent:call", agent).allowed) return { refusal };
    return {
      ...{ grant, persona, agent },
      authentication: { principal, keyId: grant.id, expiresAt: grant.expiresAt },
      shown: { credentials: { authorization }, connection, changes: this.#changes },
    };
  }

  /** Every grant is looked at, so that the time it takes tells nothing. */
  #grantOf(authorization: string | undefined): ServedGrant | undefined {
    const token = authorization === undefined ? undefined : /^bearer +([^\s]+) *$/i.exec(authorization)?.[1];
    if (token === undefined) return undefined;
    const shown = hash("sha256", token, "buffer");
    let found: ServedGrant | undefined;
    for (const { digest, served } of this.#served) if (timingSafeEqual(digest, shown)) found = served;
    return found;
  }
}

const limited = (retryAfterSeconds: number): PeerEntry => ({ refusal: { why: "limited", retryAfterSeconds } });

const digestIn = ({ credentialDigest }: Grant): Buffer => Buffer.from(hexOf(credentialDigest), "hex");

/** The persona as far as the peer has to do with it: that it works, and by what name its tasks are known here. */
const agentOf = ({ grant, persona }: ServedGrant): Persona => ({
  name: persona,
  tenant: grant.tenant,
  description: "",
  visibility: "private",
  maxConcurrent: 1,
  skills: [],
  capabilities: { allow: [], requireApproval: [] },
  streaming: grant.peerClient === null,
  push: false,
  extendedCard: false,
  followUps: false,
  runtime: { type: "scripted", rules: [] },
});
