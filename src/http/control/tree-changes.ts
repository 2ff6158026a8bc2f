import type { TaskLedger } from "../../tasks/ledger.js";
import type { Task } from "../../tasks/task.js";

/** The tasks around a followed one that have changed and were not looked at yet, each once. */
export class TreeChanges {
  readonly #ids = new Set<string>();
  readonly #signal: AbortSignal;
  readonly #stop: () => void;
  #ring: () => void = () => {};

  constructor(ledger: TaskLedger, followed: Task, signal: AbortSignal) {
    this.#signal = signal;
    const unlisten = ledger.onChange(({ tenant, rootId, taskId }) => {
      // A change of another node may not say to which tree it belongs.
      if (tenant === followed.tenant && (rootId === undefined || rootId === followed.rootId)) this.add(taskId);
    });
    const ring = () => this.#ring();
    signal.addEventListener("abort", ring);
    this.#stop = () => {
      unlisten();
      signal.removeEventListener("abort", ring);
    };
  }

  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  add(id: string): void {
    this.#ids.add(id);
    this.#ring();
  }

  /** Waits until something has changed and takes all of it; nothing when following has been aborted. */
  async take(): Promise<Set<string>> {
    while (this.#ids.size === 0 && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#ring = resolve;
      });
    }
    const taken = new Set(this.#ids);
    this.#ids.clear();
    return taken;
  }

  stop(): void {
    this.#stop();
  }
}
