/**
 * Time, injected. Wall-clock milliseconds are for what is stored and shown; waiting is done by timers, so that a step
 * of the clock delays or hurries nothing in this process.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
