import type { Clock } from "../../shared/clock.js";
import type { JsonObject } from "../../shared/json.js";
import type { VerifyingKey } from "../jwt/verifying-key.js";
import { isKeyFor } from "./signature-algorithms.js";

/** Older ones are fetched anew, beside the calls that use them, ms. */
const FRESH_MS = 600_000;
/** So long they count while the provider cannot be reached, ms. */
const KEPT_MS = 86_400_000;
/** How often a kid that is not known may make us fetch, ms. */
const UNKNOWN_EVERY_MS = 30_000;
/** How soon after one that failed, while there are no keys at all, ms. */
const RETRY_MS = 5000;
/** As many requests may wait for the first keys; the others are refused. */
const WAITING = 1000;

/**
 * The keys of one identity provider, fetched when the first token of it comes, never more than once at a time. Whatever tokens
 * are shown, and however the provider does, it is asked a few times a minute at most.
 */
export class ProviderKeys {
  readonly #fetch: () => Promise<VerifyingKey[]>;
  readonly #clock: Clock;
  readonly #onProblem: (error: unknown) => void;
  #keys: readonly VerifyingKey[] = [];
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;
  #waiting = 0;

  constructor(fetch: () => Promise<VerifyingKey[]>, clock: Clock, onProblem: (error: unknown) => void) {
    this.#fetch = fetch;
    this.#clock = clock;
    this.#onProblem = onProblem;
  }

  /** The one key that is meant; null when there is none, or more than one. */
  async find(kid: string | undefined, algorithm: string): Promise<VerifyingKey | null> {
    const known = this.#select(kid, algorithm);
    if (known !== null) {
      if (this.#age() > FRESH_MS && this.#mayFetch()) void this.#refresh();
      return known;
    }
    if (this.#fetching === undefined && !this.#mayFetch()) return null;
    if (this.#waiting >= WAITING) return null;
    this.#waiting += 1;
    await this.#refresh().finally(() => {
      this.#waiting -= 1;
    });
    return this.#select(kid, algorithm);
  }

  /** Whether it is one of them still. */
  has(key: VerifyingKey): boolean {
    return this.#age() <= KEPT_MS && this.#keys.includes(key);
  }

  #select(kid: string | undefined, algorithm: string): VerifyingKey | null {
    if (this.#age() > KEPT_MS) return null;
    const fitting = this.#keys.filter((key) => isKeyFor(algorithm, key.jwk as JsonObject));
    const meant = kid === undefined ? fitting : fitting.filter((key) => key.kid === kid);
    return meant.length === 1 ? (meant[0] as VerifyingKey) : null;
  }

  #age(): number {
    return this.#clock.now() - this.#fetchedAt;
  }

  #mayFetch(): boolean {
    return this.#clock.now() - this.#triedAt >= (this.#keys.length === 0 ? RETRY_MS : UNKNOWN_EVERY_MS);
  }

  /** Never rejects: what is known stays, for a while. */
  #refresh(): Promise<void> {
    this.#fetching ??= this.#replace().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #replace(): Promise<void> {
    this.#triedAt = this.#clock.now();
    try {
      const keys = await this.#fetch();
      const before = new Map(this.#keys.map((key) => [textOf(key), key]));
      this.#keys = keys.map((key) => before.get(textOf(key)) ?? key);
      this.#fetchedAt = this.#clock.now();
    } catch (error) {
      this.#onProblem(error);
    }
  }
}

const textOf = ({ kid, jwk }: VerifyingKey): string => JSON.stringify([kid, jwk]);
