import { LRUCache } from "lru-cache";
import { MinuteWindow } from "./minute-window.js";

/** Callers that are counted, a kilobyte each. Who has been away longest is forgotten first. */
const COUNTED = 10_000;

/** Counts by the minute what callers do, each for himself, in this process. */
export class RateLimit {
  readonly #windows: LRUCache<string, MinuteWindow>;

  constructor(counted = COUNTED) {
    this.#windows = new LRUCache({ max: counted });
  }

  /** Counts one more of `who` unless that is above the limit. Answers with the seconds to wait; 0: it may. */
  take(who: string, perMinute: number, now: number): number {
    return this.#of(who).take(perMinute, now);
  }

  /** The same without counting. */
  wait(who: string, perMinute: number, now: number): number {
    return this.#windows.get(who)?.wait(perMinute, now) ?? 0;
  }

  #of(who: string): MinuteWindow {
    let window = this.#windows.get(who);
    if (window === undefined) {
      window = new MinuteWindow();
      this.#windows.set(who, window);
    }
    return window;
  }
}
