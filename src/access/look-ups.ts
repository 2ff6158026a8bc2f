import { NuncioError } from "../shared/errors.js";

/** As many of the database's connections as callers may take whom we do not know yet. */
const AT_ONCE = 4;

/** Who comes when so many wait already is sent away. */
const WAITING = 1000;

/**
 * Look-ups in the database on behalf of callers that have shown nothing valid: however many there are, and whatever they
 * show, a few run at a time, and what several ask for is asked for once.
 */
export class LookUps<T> {
  readonly #running = new Map<string, Promise<T>>();
  readonly #waiting: (() => void)[] = [];
  #active = 0;

  /** @throws NuncioError `unavailable` when too many wait */
  one(key: string, lookUp: () => Promise<T>): Promise<T> {
    const known = this.#running.get(key);
    if (known !== undefined) return known;
    if (this.#waiting.length >= WAITING) {
      return Promise.reject(new NuncioError("unavailable", "too many credentials are being looked up"));
    }
    const running = this.#inTurn(lookUp).finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return running;
  }

  async #inTurn(lookUp: () => Promise<T>): Promise<T> {
    if (this.#active >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#active += 1;
    try {
      return await lookUp();
    } finally {
      // The place is handed on, and given back when nobody waits.
      const next = this.#waiting.shift();
      if (next === undefined) this.#active -= 1;
      else next();
    }
  }
}
