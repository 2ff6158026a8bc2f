import type { RunJournal } from "../../tasks/runner.js";

const KIND = "node_try";

interface Try {
  /** How many went before. */
  number: number;
  /** Since when its persona has been busy, ms; null when it was something else. */
  busySince: number | null;
}

/**
 * How often a node has been tried, in the journal. A call that has its result gives it again for ever, so that a further
 * try is a call of its own.
 */
export class Tries {
  readonly #journal: Pick<RunJournal, "steps" | "note">;
  readonly #tries = new Map<string, Try>();

  constructor(journal: Pick<RunJournal, "steps" | "note">) {
    this.#journal = journal;
    // Over all turns: the nodes are those of the whole task.
    for (const { kind, key, data } of journal.steps) if (kind === KIND) this.#tries.set(key, data as unknown as Try);
  }

  /** Ids of nodes have no `~`. */
  callId(node: string): string {
    const number = this.#of(node).number;
    return number === 0 ? node : `${node}~${number}`;
  }

  /** The next attempt tries the node again, should there be one. Durable with whatever ends this one. */
  again(node: string): void {
    this.#note(node, { number: this.#of(node).number + 1, busySince: null });
  }

  /** The same for a node whose persona is busy: when to try again, or null once it has been so for `timeoutMs`. */
  againLater(node: string, now: number, timeoutMs: number): number | null {
    const { number, busySince } = this.#of(node);
    const since = busySince ?? now;
    if (now - since >= timeoutMs) return null;
    this.#note(node, { number: number + 1, busySince: since });
    // After a second, then twice as long each time, until half a minute.
    return now + Math.min(1000 * 2 ** Math.min(number, 5), 30_000, Math.max(timeoutMs - (now - since), 1));
  }

  #of(node: string): Try {
    return this.#tries.get(node) ?? { number: 0, busySince: null };
  }

  #note(node: string, data: Try): void {
    this.#tries.set(node, data);
    this.#journal.note({ kind: KIND, key: node, data: { ...data } });
  }
}
