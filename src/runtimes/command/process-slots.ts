/** Bounds how many child processes there are at a time; who waits is served in order. */
export class ProcessSlots {
  #limit: number;
  /** Negative after the limit has become smaller than what is taken. */
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
    this.#free = limit;
  }

  /** From now on so many. What is taken stays taken. */
  resize(limit: number): void {
    this.#free += limit - this.#limit;
    this.#limit = limit;
    while (this.#free > 0 && this.#waiting.length > 0) {
      this.#free--;
      this.#waiting.shift()?.();
    }
  }

  /** Resolves with the way to give the slot back; rejects with the reason of `signal` when that aborts first. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    let taken = true;
    return () => {
      if (taken) this.#giveBack();
      taken = false;
    };
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const serve = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(serve), 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.push(serve);
    });
  }

  /** The slot passes to the next in line directly, so that nobody can slip in between. */
  #giveBack(): void {
    const next = this.#free < 0 ? undefined : this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
