/**
 * How long we hold on to a request: it ends with the caller's signal, or when a time is over that is set anew for each
 * phase.
 */
export class Hold {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #follow: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(caller: AbortSignal) {
    this.#caller = caller;
    this.#follow = () => this.#controller.abort(caller.reason);
    if (caller.aborted) this.#follow();
    else caller.addEventListener("abort", this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  atMost(ms: number, reason: unknown): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(reason), Math.max(0, ms));
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#caller.removeEventListener("abort", this.#follow);
  }
}
