/**
 * Time, injected. Milliseconds since the epoch are for what is stored, compared and shown; waiting is done by timers.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/**
 * A clock that follows the wall clock, and goes on from where it was when that is set back: what is due at a stored time
 * would otherwise not be due any more, and queued work would stand still for as long as the clock was set back.
 */
export function steadyClock(wall: () => number, elapsed: () => number): Clock {
  /** The latest wall-clock time that was seen, and the elapsed time then. */
  let time = wall();
  let mark = elapsed();
  return {
    now() {
      const shown = wall();
      const passed = elapsed();
      const steady = time + (passed - mark);
      if (shown >= Math.floor(steady)) {
        time = shown;
        mark = passed;
        return shown;
      }
      return Math.floor(steady);
    },
  };
}

export const systemClock: Clock = steadyClock(Date.now, () => performance.now());
