import type { TaskChange, TaskKey } from "../../tasks/ledger.js";
import type { Effects } from "./command.js";

/** What one command wants announced: collected while it runs, and dropped when it is not made durable. */
export class CollectedEffects implements Effects {
  readonly changes: TaskChange[] = [];
  readonly revokedKeys: string[] = [];

  changed(change: TaskChange): void {
    this.changes.push(change);
  }

  keyRevoked(keyId: string): void {
    this.revokedKeys.push(keyId);
  }
}

type Listener<T> = (value: T) => void;

/** Who wants to hear of commits. Whatever is wrong with a listener, the commands are durable and their callers hear so. */
export class Announcements {
  readonly changes = new Listeners<readonly TaskChange[]>();
  readonly revokedKeys = new Listeners<string>();
  readonly stopped = new Listeners<TaskKey>();
  readonly missed = new Listeners<void>();

  announce(done: readonly CollectedEffects[]): void {
    const changes = done.flatMap((effects) => effects.changes);
    if (changes.length > 0) this.changes.tell(changes);
    for (const { revokedKeys } of done) for (const keyId of revokedKeys) this.revokedKeys.tell(keyId);
  }
}

/** Whatever is wrong with one of them, the others hear of it. */
export class Listeners<T> {
  readonly #listeners = new Set<Listener<T>>();

  /** Returns how to stop. */
  add = (listener: Listener<T>): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  tell(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        process.emitWarning(error instanceof Error ? error : String(error));
      }
    }
  }
}
