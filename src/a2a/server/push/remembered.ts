import type { PushKey } from "../../../tasks/push-ledger.js";
import { type Entry, newEntry } from "./entry.js";

/** So many are remembered, which takes some tens of MB; the others are found when they are looked for. */
const MOST = 50_000;

/** Who wants to be told of which task, as far as this process remembers. */
export class Remembered {
  /** By task, then by id. */
  readonly #entries = new Map<string, Map<string, Entry>>();
  #size = 0;

  get isFull(): boolean {
    return this.#size >= MOST;
  }

  find({ tenant, taskId, id }: PushKey): Entry | undefined {
    return this.#entries.get(taskKey(tenant, taskId))?.get(id);
  }

  ofTask(task: string): Iterable<Entry> {
    return this.#entries.get(task)?.values() ?? [];
  }

  /** The one that is known already, if it is; null when there are too many. */
  add(key: PushKey, principal: string, origin: string): Entry | null {
    const known = this.find(key);
    if (known !== undefined) return known;
    if (this.isFull) return null;
    const entry = newEntry(key, principal, origin);
    const task = taskKey(key.tenant, key.taskId);
    const entries = this.#entries.get(task);
    if (entries === undefined) this.#entries.set(task, new Map([[key.id, entry]]));
    else entries.set(key.id, entry);
    this.#size += 1;
    return entry;
  }

  delete(entry: Entry): void {
    const task = taskKey(entry.tenant, entry.taskId);
    const entries = this.#entries.get(task);
    if (entries?.get(entry.id) !== entry) return;
    entries.delete(entry.id);
    if (entries.size === 0) this.#entries.delete(task);
    this.#size -= 1;
  }
}

export const taskKey = (tenant: string, taskId: string): string => `${tenant}/${taskId}`;
