import type { Claimed, TaskChange } from "./ledger.js";
import type { PersonaSlots, Slots } from "./slots.js";

interface Hosted extends PersonaSlots {
  /** There may be a task to claim. */
  maybe: boolean;
  /** When a task in backoff becomes due, ms. */
  dueAt: number;
}

/**
 * For which personas of this process there may be something to claim, so that nobody asks the ledger about two hundred
 * that have nothing. It errs on the side of asking: at the start it is all of them.
 */
export class RunnablePersonas {
  readonly #hosted = new Map<string, Hosted>();
  readonly #onRunnable: () => void;
  /** Last news of each task in the commits that are being announced. */
  #news = new Map<string, TaskChange>();
  #turn = 0;
  #maybes = 0;

  constructor(personas: readonly PersonaSlots[], onRunnable: () => void) {
    this.#onRunnable = onRunnable;
    this.#host(personas);
  }

  /** From now on it is these; all of them are asked about once more. */
  replace(personas: readonly PersonaSlots[]): void {
    this.#host(personas);
    this.#onRunnable();
  }

  #host(personas: readonly PersonaSlots[]): void {
    this.#hosted.clear();
    for (const persona of personas) this.#hosted.set(key(persona), { ...persona, maybe: true, dueAt: Infinity });
    this.#maybes = this.#hosted.size;
  }

  /** Some persona has work that waits for a slot, as far as is known. */
  get any(): boolean {
    this.#digest();
    return this.#maybes > 0;
  }

  /** Something may have become runnable that nobody told us of: all of them are asked about once more. */
  lookAgain(): void {
    for (const hosted of this.#hosted.values()) this.#set(hosted, true);
    this.#onRunnable();
  }

  /** A task that becomes runnable and is claimed in one commit is no news: only where it stands in the end counts. */
  onChange(change: TaskChange): void {
    if (this.#news.size === 0) queueMicrotask(() => this.#digest());
    this.#news.set(change.taskId, change);
  }

  /**
   * The personas to ask about, in turn, so that none is always first; `free` is how many slots each may take. From here
   * on they count as asked: what becomes runnable while the ledger answers is news again.
   */
  ask(slots: Slots, now: number): { tenant: string; name: string; free: number }[] {
    this.#digest();
    const asked: { tenant: string; name: string; free: number }[] = [];
    for (const hosted of this.#hosted.values()) {
      if (!hosted.maybe && hosted.dueAt > now) continue;
      const { tenant, name } = hosted;
      const free = slots.freeOf(tenant, name);
      if (free === 0) continue;
      this.#set(hosted, false);
      hosted.dueAt = Infinity;
      asked.push({ tenant, name, free });
    }
    const first = asked.length === 0 ? 0 : this.#turn++ % asked.length;
    return [...asked.slice(first), ...asked.slice(0, first)];
  }

  /** The ledger's answer: these still have something to claim, now or later. */
  answered({ more, due }: Pick<Claimed, "more" | "due">): void {
    for (const persona of more) {
      const hosted = this.#hosted.get(key(persona));
      if (hosted !== undefined) this.#set(hosted, true);
    }
    for (const { at, ...persona } of due) {
      const hosted = this.#hosted.get(key(persona));
      if (hosted !== undefined) hosted.dueAt = Math.min(hosted.dueAt, at);
    }
  }

  /** When the next task in backoff becomes due, ms. */
  get nextDueAt(): number {
    let next = Infinity;
    for (const { dueAt } of this.#hosted.values()) next = Math.min(next, dueAt);
    return next;
  }

  #set(hosted: Hosted, maybe: boolean): void {
    if (hosted.maybe === maybe) return;
    hosted.maybe = maybe;
    this.#maybes += maybe ? 1 : -1;
  }

  #digest(): void {
    if (this.#news.size === 0) return;
    const news = this.#news;
    this.#news = new Map();
    let rings = false;
    for (const change of news.values()) {
      if (!change.runnable) continue;
      const hosted = this.#hosted.get(key({ tenant: change.tenant, name: change.persona }));
      if (hosted === undefined) continue;
      rings = true;
      this.#set(hosted, true);
    }
    if (rings) this.#onRunnable();
  }
}

const key = ({ tenant, name }: { tenant: string; name: string }): string => `${tenant}/${name}`;
