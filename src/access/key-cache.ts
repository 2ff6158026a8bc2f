import { LRUCache } from "lru-cache";
import { type Clock, systemClock } from "../shared/clock.js";
import type { ApiKey, KeyStore } from "./access-store.js";
import { LookUps } from "./look-ups.js";

/** Keys that are known without asking. */
const KNOWN = 100_000;

/** Texts that are remembered to be no key of ours. */
const MISSES = 10_000;

const PAGE = 5000;

/** What was revoked so long before we last looked is not missed: a commit comes a little after the time that is in it, ms. */
const OVERLAP_MS = 300_000;

export interface KeyCacheOptions {
  /** No other process makes keys in this store. */
  alone?: boolean;
  /** How many keys are known at most. */
  limit?: number;
  /** That of the store. */
  clock?: Clock;
}

/**
 * Knows the keys by their hash, so that a request costs no query before it is known who sends it. The store tells of each
 * revocation: a revoked key is refused by the next request, and whoever serves a long answer to its holder is told.
 *
 * Where nobody else can make keys, and all are known, what is not known is no key. Elsewhere another node may have made it a
 * moment ago: the store is asked, once and in turn.
 */
export class KeyCache implements KeyStore {
  readonly #store: KeyStore;
  readonly #alone: boolean;
  readonly #limit: number;
  readonly #byHash = new Map<string, ApiKey>();
  readonly #hashById = new Map<string, string>();
  readonly #misses = new LRUCache<string, true>({ max: MISSES });
  readonly #lookUps = new LookUps<ApiKey | null>();
  readonly #listeners = new Set<(keyId: string) => void>();
  /** Whose revocation has been passed on. */
  readonly #told = new Set<string>();
  /** Moves with every revocation: what was read before is not remembered. */
  #generation = 0;
  readonly #clock: Clock;
  /** No key is missing here. */
  #complete = false;
  /** Revocations before this time (ms) have been seen. */
  #upTo: number;

  constructor(store: KeyStore, options: KeyCacheOptions = {}) {
    this.#store = store;
    this.#alone = options.alone ?? false;
    this.#limit = options.limit ?? KNOWN;
    this.#clock = options.clock ?? systemClock;
    this.#upTo = this.#clock.now();
    store.onRevoked((keyId) => this.#forget(keyId));
    store.onMissed(() => void this.#lookForRevoked());
  }

  /** Gets to know all keys, up to the limit; before, each costs a look-up when it is seen first. */
  async load(): Promise<void> {
    let after = "";
    while (this.#byHash.size < this.#limit) {
      const generation = this.#generation;
      const page = await this.#store.keysAfter({ after, limit: Math.min(PAGE, this.#limit - this.#byHash.size) });
      // One of them may have been revoked while it was read: each is asked for when it is seen.
      if (generation !== this.#generation) return;
      for (const { hash, key } of page) this.#know(hash, key);
      const last = page.at(-1);
      if (last === undefined) {
        this.#complete = true;
        return;
      }
      after = last.key.id;
    }
  }

  async createKey(command: { key: ApiKey; hash: string }): Promise<{ tenantMade: boolean }> {
    const made = await this.#store.createKey(command);
    this.#misses.delete(command.hash);
    this.#know(command.hash, command.key);
    return made;
  }

  listKeys(): Promise<ApiKey[]> {
    return this.#store.listKeys();
  }

  async revokeKey(command: { id: string; now: number }): Promise<void> {
    const hash = this.#hashById.get(command.id);
    const key = hash === undefined ? undefined : this.#byHash.get(hash);
    await this.#store.revokeKey(command);
    // Still known, so that its holder is refused for what it is without a look-up.
    if (hash !== undefined && key !== undefined) this.#know(hash, { ...key, revokedAt: key.revokedAt ?? command.now });
  }

  keyByHash(hash: string): Promise<ApiKey | null> {
    const known = this.peek(hash);
    if (known !== undefined) return Promise.resolve(known);
    // Whoever comes after a revocation does not share a look-up that began before it.
    return this.#lookUps.one(`${this.#generation}/${hash}`, () => this.#lookUp(hash));
  }

  keysAfter(query: { after: string; limit: number }): Promise<{ key: ApiKey; hash: string }[]> {
    return this.#store.keysAfter(query);
  }

  revokedSince(since: number): Promise<string[]> {
    return this.#store.revokedSince(since);
  }

  /** What is known of this hash, without a promise; undefined when only the store can tell. */
  peek(hash: string): ApiKey | null | undefined {
    const key = this.#byHash.get(hash);
    if (key !== undefined) return key;
    return (this.#alone && this.#complete) || this.#misses.has(hash) ? null : undefined;
  }

  /** Calls `listener` with the id of each key that is revoked from now on. Returns how to stop. */
  onRevoked(listener: (keyId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onMissed(listener: () => void): () => void {
    return this.#store.onMissed(listener);
  }

  #know(hash: string, key: ApiKey): void {
    this.#byHash.delete(hash);
    if (this.#byHash.size >= this.#limit) {
      this.#complete = false;
      const [oldest] = this.#byHash.entries().next().value as [string, ApiKey];
      this.#hashById.delete(this.#byHash.get(oldest)?.id as string);
      this.#byHash.delete(oldest);
    }
    this.#byHash.set(hash, key);
    this.#hashById.set(key.id, hash);
  }

  #forget(keyId: string): void {
    // A look-up that is under way may still bring the row as it was: forgetting alone would not be enough.
    this.#generation += 1;
    const hash = this.#hashById.get(keyId);
    if (hash !== undefined) this.#byHash.delete(hash);
    this.#hashById.delete(keyId);
    if (this.#told.has(keyId)) return;
    this.#told.add(keyId);
    for (const listener of [...this.#listeners]) listener(keyId);
  }

  /** Another node may have revoked a key, and its word was lost: the store knows. */
  async #lookForRevoked(): Promise<void> {
    const now = this.#clock.now();
    try {
      const revoked = await this.#store.revokedSince(this.#upTo - OVERLAP_MS);
      for (const keyId of revoked) if (!this.#told.has(keyId)) this.#forget(keyId);
      this.#upTo = now;
    } catch {
      // The database is gone: nothing can be read with a key either, and this comes again.
    }
  }

  async #lookUp(hash: string): Promise<ApiKey | null> {
    const generation = this.#generation;
    const key = await this.#store.keyByHash(hash);
    if (generation === this.#generation) {
      if (key === null) this.#misses.set(hash, true);
      else this.#know(hash, key);
    }
    return key;
  }
}
