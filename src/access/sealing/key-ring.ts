import { statSync } from "node:fs";
import type { Clock } from "../../shared/clock.js";
import { changeKeyFile, type KeyFile, makeKeyFile, newSealingKey, readKeyFile } from "./key-file.js";

/**
 * The sealing keys of a daemon, as its key file has them now. Another node, or an operator, may change the file at any time:
 * whether it is another one is looked up at each use, which costs a few microseconds.
 */
export class KeyRing {
  #read: KeyFile | null = null;
  #stamp = "";

  constructor(
    readonly file: string,
    private readonly clock: Clock,
  ) {}

  /** What new texts are sealed with. At the first use ever it is made. */
  current(): { id: string; key: Buffer } {
    const held = this.#now() ?? this.#make();
    return { id: held.current, key: held.keys.get(held.current)?.key as Buffer };
  }

  /** Null when the file does not have it. */
  find(id: string): Buffer | null {
    return this.#now()?.keys.get(id)?.key ?? null;
  }

  /** All ids, the current one included; none before the first use. */
  ids(): string[] {
    return [...(this.#now()?.keys.keys() ?? [])];
  }

  /** Adds a key that is the current one from now on, here and on every node that shares the file. */
  renew(): string {
    const [id, added] = newSealingKey(this.clock.now());
    if (this.#now() === null) this.#make();
    changeKeyFile(this.file, ({ keys }) => ({ current: id, keys: new Map(keys).set(id, added) }));
    return id;
  }

  /** Takes keys out of the file for good; the current one stays, whatever is asked. */
  drop(ids: readonly string[]): void {
    changeKeyFile(this.file, ({ current, keys }) => ({
      current,
      keys: new Map([...keys].filter(([id]) => id === current || !ids.includes(id))),
    }));
  }

  #now(): KeyFile | null {
    const found = statSync(this.file, { throwIfNoEntry: false });
    const stamp = found === undefined ? "" : `${found.ino}/${found.size}/${found.mtimeMs}/${found.mode}/${found.uid}`;
    if (this.#read === null || stamp !== this.#stamp) {
      this.#read = readKeyFile(this.file);
      this.#stamp = stamp;
    }
    return this.#read;
  }

  #make(): KeyFile {
    makeKeyFile(this.file, this.clock.now());
    return this.#now() as KeyFile;
  }
}
