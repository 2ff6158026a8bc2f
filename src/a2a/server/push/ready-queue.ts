import type { Entry } from "./entry.js";

export interface ReadyLimits {
  /** Turns at the same time, in all. */
  concurrency: number;
}

/**
 * Whose turn it is. Callers take turns, and the receivers of one caller; each has only a part of the places, and what has
 * failed before only half of them, so that receivers which hang keep nobody else waiting for long.
 */
export class ReadyQueue {
  readonly #limits: ReadyLimits;
  /** Of each caller, by receiver; in the order of their turns. */
  readonly #waiting = new Map<string, Map<string, Set<Entry>>>();
  readonly #running = new Set<Entry>();

  /** @param limits as they stand at each turn */
  constructor(limits: ReadyLimits) {
    this.#limits = limits;
  }

  /** How many have their turn now. */
  get running(): number {
    return this.#running.size;
  }

  add(entry: Entry): void {
    const receivers = getOrMake(this.#waiting, entry.principal, () => new Map<string, Set<Entry>>());
    getOrMake(receivers, entry.origin, () => new Set<Entry>()).add(entry);
  }

  remove(entry: Entry): void {
    const receivers = this.#waiting.get(entry.principal);
    const entries = receivers?.get(entry.origin);
    if (receivers === undefined || entries === undefined || !entries.delete(entry)) return;
    if (entries.size === 0) receivers.delete(entry.origin);
    if (receivers.size === 0) this.#waiting.delete(entry.principal);
  }

  /** The next one, which has its turn until `done`; null when none may have one now. */
  take(): Entry | null {
    if (this.#running.size >= this.#limits.concurrency) return null;
    for (const [principal, receivers] of this.#waiting) {
      if (this.#busy((other) => other.principal === principal) >= this.#part(2)) continue;
      const entry = this.#of(receivers);
      if (entry === null) continue;
      this.remove(entry);
      moveToEnd(this.#waiting, principal);
      moveToEnd(receivers, entry.origin);
      this.#running.add(entry);
      return entry;
    }
    return null;
  }

  done(entry: Entry): void {
    this.#running.delete(entry);
  }

  #of(receivers: Map<string, Set<Entry>>): Entry | null {
    const failing = this.#busy(({ attempts }) => attempts > 0) >= this.#part(2);
    for (const [origin, entries] of receivers) {
      const [first] = entries;
      if (first === undefined) continue;
      const { principal } = first;
      if (this.#busy((other) => other.origin === origin) >= this.#part(4)) continue;
      if (this.#busy((other) => other.origin === origin && other.principal === principal) >= this.#part(8)) continue;
      for (const entry of entries) if (entry.attempts === 0 || !failing) return entry;
    }
    return null;
  }

  /** Few have their turn at the same time: counting them is as good as keeping count. */
  #busy(which: (entry: Entry) => boolean): number {
    let count = 0;
    for (const entry of this.#running) if (which(entry)) count += 1;
    return count;
  }

  #part = (of: number): number => Math.max(1, Math.floor(this.#limits.concurrency / of));
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function moveToEnd<K, V>(map: Map<K, V>, key: K): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}
