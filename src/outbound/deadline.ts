/**
 * The signal of one request: aborts with the caller's, and by the time limits of the request's phases. A caller's
 * signal may outlive many requests, so nothing of us stays on it.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #follow: () => void;
  readonly #caller: AbortSignal | undefined;

  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
    this.#follow = () => this.#controller.abort(caller?.reason);
    if (caller?.aborted) this.#follow();
    else caller?.addEventListener("abort", this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts with what `reason` makes, unless it is taken back before. */
  within(ms: number, reason: () => unknown): { over(): void } {
    const timer = setTimeout(() => this.#controller.abort(reason()), ms);
    this.#timers.add(timer);
    return {
      over: () => {
        clearTimeout(timer);
        this.#timers.delete(timer);
      },
    };
  }

  /** Rejects when the signal aborts, even where `work` cannot be told to stop. */
  async until<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
    });
  }

  /** The request is over: no timer runs on, and the caller's signal has forgotten us. */
  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#caller?.removeEventListener("abort", this.#follow);
  }
}
