import type { WalSync } from "./wal-sync.js";

/** Something to tell that rests on what has been committed so far. */
export interface Telling {
  tell(): void;
  /** The disk has failed: nobody knows whether what it rests on is there. */
  fail(cause: Error): void;
}

/**
 * Everything that is told of a ledger stands in this line until the disk has what it rests on: answers, refusals, news and
 * what was read. While one sync is under way the next commits are made, and the sync after it is for all of them.
 */
export class DurableLine {
  readonly #log: WalSync;
  #line: Telling[] = [];
  #syncing = false;
  #failed: Error | undefined;
  #onEmpty: (() => void) | undefined;

  constructor(log: WalSync) {
    this.#log = log;
  }

  get failed(): boolean {
    return this.#failed !== undefined;
  }

  /** @param wrote it rests on a commit that was made since the last call */
  add(telling: Telling, wrote: boolean): void {
    if (this.#failed !== undefined) telling.fail(this.#failed);
    else if (!wrote && this.#isEmpty) telling.tell();
    else {
      this.#line.push(telling);
      this.#next();
    }
  }

  /** Resolves when nothing waits any more. */
  async close(): Promise<void> {
    if (!this.#isEmpty) {
      await new Promise<void>((resolve) => {
        this.#onEmpty = resolve;
      });
    }
    this.#log.close();
  }

  get #isEmpty(): boolean {
    return !this.#syncing && this.#line.length === 0;
  }

  #next(): void {
    if (this.#syncing || this.#line.length === 0) return;
    const first = this.#line;
    this.#line = [];
    this.#syncing = true;
    this.#log.sync((error) => {
      this.#syncing = false;
      if (error === null) {
        // What waits in the line needs the disk no longer than it takes to tell what is there.
        this.#next();
        for (const telling of first) telling.tell();
      } else {
        this.#failed = error;
        for (const telling of [...first, ...this.#line.splice(0)]) telling.fail(error);
      }
      if (this.#isEmpty) this.#onEmpty?.();
    });
  }
}
