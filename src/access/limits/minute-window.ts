const MINUTE_MS = 60_000;
/** A window may begin in one second and end in another: these, and all between. */
const SECONDS = 61;

/**
 * Counts what happened within the last minute, whenever that began: in no minute is there more than the limit. It costs
 * 61 numbers, however high the limit is, no timer, and in the usual case two array accesses.
 */
export class MinuteWindow {
  readonly #counts = new Uint32Array(SECONDS);
  /** When the last of each second happened, ms: until a minute later all of them count. */
  readonly #lastAt = new Float64Array(SECONDS);
  #total = 0;
  /** The seconds that are counted, since the epoch. */
  #oldest = 0;
  #newest = 0;

  /** Counts one more unless the limit is reached. Answers with the seconds after which one more may come; 0: it has. */
  take(limit: number, now: number): number {
    const wait = this.wait(limit, now);
    if (wait === 0) this.count(now);
    return wait;
  }

  /** Seconds after which one more may come, at most 60; 0: now. */
  wait(limit: number, now: number): number {
    this.#forget(now);
    let tooMany = this.#total - limit + 1;
    if (tooMany <= 0) return 0;
    for (let second = this.#oldest; second <= this.#newest; second++) {
      tooMany -= this.#counts[second % SECONDS] as number;
      if (tooMany > 0) continue;
      const freeAt = (this.#lastAt[second % SECONDS] as number) + MINUTE_MS;
      return Math.min(60, Math.max(1, Math.ceil((freeAt - now) / 1000)));
    }
    return 60;
  }

  /** Counts one, whatever the limit is. */
  count(now: number): void {
    this.#forget(now);
    // A clock that was set back goes on from where it was.
    const second = Math.max(this.#newest, Math.floor(now / 1000));
    if (this.#total === 0) this.#oldest = second;
    this.#newest = second;
    const at = second % SECONDS;
    this.#counts[at] = (this.#counts[at] as number) + 1;
    this.#lastAt[at] = Math.max(now, this.#lastAt[at] as number);
    this.#total += 1;
  }

  #forget(now: number): void {
    while (this.#total > 0) {
      const at = this.#oldest % SECONDS;
      if ((this.#counts[at] as number) > 0) {
        if ((this.#lastAt[at] as number) + MINUTE_MS > now) return;
        this.#total -= this.#counts[at] as number;
        this.#counts[at] = 0;
        this.#lastAt[at] = 0;
      }
      this.#oldest += 1;
    }
  }
}
