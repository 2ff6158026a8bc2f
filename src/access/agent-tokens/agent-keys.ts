import type { Clock } from "../../shared/clock.js";
import type { KeyStore } from "../access-store.js";
import type { AgentName } from "../agent-name.js";
import { VerifyingKey } from "../jwt/verifying-key.js";
import { LookUps } from "../look-ups.js";
import { isInForce, type SigningKey, type SigningKeyStore } from "./signing-key.js";

/** How often a kid that is not known makes us look again for the keys of its agent, ms. */
const LOOK_EVERY_MS = 1000;

/** What changed so long before we last looked is not missed: a commit comes a little after the time that is in it, ms. */
const OVERLAP_MS = 300_000;

interface KnownKey {
  signing: SigningKey;
  verifying: VerifyingKey;
}

/**
 * The public keys of our agents, in memory: who shows a token costs no query before it is known whose it is. Where other
 * nodes make keys as well, one that is not known is looked up, seldom.
 */
export class AgentKeys {
  readonly #store: SigningKeyStore;
  readonly #clock: Clock;
  readonly #alone: boolean;
  readonly #byAgent = new Map<string, Map<string, KnownKey>>();
  readonly #agentOfKid = new Map<string, string>();
  /** A look-up that is under way may still bring one of them as it was. */
  readonly #ended = new Set<string>();
  readonly #lookUps = new LookUps<void>();
  readonly #lookedAt = new Map<string, number>();
  readonly #listeners = new Set<(kid: string) => void>();
  #loaded = false;
  #upTo: number;

  constructor(
    store: SigningKeyStore & Pick<KeyStore, "onRevoked" | "onMissed">,
    { clock, alone }: { clock: Clock; alone: boolean },
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#alone = alone;
    this.#upTo = clock.now();
    store.onRevoked((kid) => this.#end(kid));
    store.onMissed(() => void this.#catchUp());
  }

  async load(): Promise<void> {
    for (const key of await this.#store.signingKeysSince(0)) this.note(key);
    this.#loaded = true;
  }

  /** What was made or changed here. */
  note(key: SigningKey): void {
    if (this.#ended.has(key.kid)) return;
    if (!isInForce(key, this.#clock.now())) {
      this.#end(key.kid);
      return;
    }
    const agent = keyOf(key);
    const known = this.#byAgent.get(agent) ?? new Map<string, KnownKey>();
    const verifying = known.get(key.kid)?.verifying ?? new VerifyingKey(key.kid, { ...key.publicKey });
    known.set(key.kid, { signing: key, verifying });
    this.#byAgent.set(agent, known);
    this.#agentOfKid.set(key.kid, agent);
  }

  /** The keys of an agent that count now, oldest first. */
  of(agent: AgentName): SigningKey[] {
    return this.#counting(this.#byAgent.get(keyOf(agent)));
  }

  /** Those of all agents. */
  all(): SigningKey[] {
    return [...this.#byAgent.values()].flatMap((known) => this.#counting(known));
  }

  #counting(known: ReadonlyMap<string, KnownKey> = new Map()): SigningKey[] {
    const now = this.#clock.now();
    const keys = [...known.values()].map(({ signing }) => signing).filter((key) => isInForce(key, now));
    return keys.sort((a, b) => a.createdAt - b.createdAt);
  }

  /** The key of this agent that is known and counts now; null when there is none. */
  peek(agent: AgentName, kid: string): VerifyingKey | null {
    const known = this.#byAgent.get(keyOf(agent))?.get(kid);
    return known !== undefined && isInForce(known.signing, this.#clock.now()) ? known.verifying : null;
  }

  /** The same, looked for where it may be known to others. @param agent that is hosted here */
  async find(agent: AgentName, kid: string): Promise<VerifyingKey | null> {
    const known = this.peek(agent, kid);
    if (known !== null || (this.#alone && this.#loaded)) return known;
    const key = keyOf(agent);
    const now = this.#clock.now();
    if (now - (this.#lookedAt.get(key) ?? Number.NEGATIVE_INFINITY) >= LOOK_EVERY_MS) {
      await this.#lookUps.one(key, async () => {
        for (const found of await this.#store.signingKeysOf({ ...agent, now })) this.note(found);
        this.#lookedAt.set(key, now);
      });
    }
    return this.peek(agent, kid);
  }

  /** Calls `listener` with the kid of each key whose tokens count no more, before their time. Returns how to stop. */
  onEnded(listener: (kid: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #end(kid: string): void {
    this.#ended.add(kid);
    const agent = this.#agentOfKid.get(kid);
    if (agent === undefined) return;
    this.#agentOfKid.delete(kid);
    this.#byAgent.get(agent)?.delete(kid);
    for (const listener of [...this.#listeners]) listener(kid);
  }

  /** Another node may have made or ended a key, and its word was lost: the store knows. */
  async #catchUp(): Promise<void> {
    const now = this.#clock.now();
    try {
      for (const key of await this.#store.signingKeysSince(this.#upTo - OVERLAP_MS)) this.note(key);
      this.#upTo = now;
    } catch {
      // The database is gone: nothing can be read with a token either, and this comes again.
    }
  }
}

const keyOf = ({ tenant, name }: AgentName): string => `${tenant}/${name}`;
