import { LRUCache } from "lru-cache";
import type { AccessStore, ApiKey } from "./access-store.js";

/** Keys, and misses, that are remembered: more than that many different credentials cost a look-up each. */
const REMEMBERED = 10_000;

/**
 * Remembers keys by their hash, so that an authenticated request costs no query. The store tells of each revocation: a
 * revoked key is refused by the next request, and whoever serves a long answer to its holder is told.
 */
export class KeyCache implements AccessStore {
  readonly #store: AccessStore;
  readonly #byHash = new LRUCache<string, { key: ApiKey | null }>({ max: REMEMBERED });
  readonly #listeners = new Set<(keyId: string) => void>();
  /** Whose revocation has been passed on. */
  readonly #told = new Set<string>();
  /** Moves with every revocation: what was read before is not remembered. */
  #generation = 0;

  constructor(store: AccessStore) {
    this.#store = store;
    store.onRevoked((keyId) => this.#forget(keyId));
    store.onMissed(() => void this.#lookForRevoked());
  }

  async createKey(command: { key: ApiKey; hash: string }): Promise<void> {
    await this.#store.createKey(command);
    this.#byHash.delete(command.hash);
  }

  listKeys(): Promise<ApiKey[]> {
    return this.#store.listKeys();
  }

  revokeKey(command: { id: string; now: number }): Promise<void> {
    return this.#store.revokeKey(command);
  }

  keyByHash(hash: string): Promise<ApiKey | null> {
    const known = this.peek(hash);
    return known === undefined ? this.#lookUp(hash) : Promise.resolve(known);
  }

  /** What is remembered of this hash, without a promise; undefined when nothing is. */
  peek(hash: string): ApiKey | null | undefined {
    return this.#byHash.get(hash)?.key;
  }

  /** Calls `listener` with the id of each key that is revoked from now on. Returns how to stop. */
  onRevoked(listener: (keyId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onMissed(listener: () => void): () => void {
    return this.#store.onMissed(listener);
  }

  #forget(keyId: string): void {
    // A look-up that is under way may still bring the row as it was: clearing alone would not be enough.
    this.#generation += 1;
    this.#byHash.clear();
    if (this.#told.has(keyId)) return;
    this.#told.add(keyId);
    for (const listener of [...this.#listeners]) listener(keyId);
  }

  /** Another node may have revoked a key, and its word was lost: the list knows. */
  async #lookForRevoked(): Promise<void> {
    try {
      for (const { id, revokedAt } of await this.#store.listKeys()) {
        if (revokedAt !== null && !this.#told.has(id)) this.#forget(id);
      }
    } catch {
      // The database is gone: nothing can be read with a key either, and this comes again.
    }
  }

  async #lookUp(hash: string): Promise<ApiKey | null> {
    const generation = this.#generation;
    const key = await this.#store.keyByHash(hash);
    if (generation === this.#generation) this.#byHash.set(hash, { key });
    return key;
  }
}
