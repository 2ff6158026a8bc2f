import type { Progress, Run } from "../../tasks/runner.js";

const KIND = "script";
/** Below the size at which the run's buffer is recorded by itself. */
const UNNOTED_LENGTH = 1024;

/**
 * How far a script is, in the journal. A script runs its steps in order, so that one number says which are done; it is
 * noted in the same record as what the steps announced. A later attempt announces nothing a second time.
 *
 * A script that only says something and ends is one record together with its outcome, and notes nothing. The number is
 * noted before anything that lets the buffer be recorded without the outcome: a wait, a call, a long text.
 */
export class ScriptProgress {
  readonly #run: Pick<Run, "journal" | "emit">;
  readonly #key: string;
  readonly #doneBefore: number;
  /** The last step that announced something that is not noted yet. */
  #unnoted = -1;
  #unnotedLength = 0;

  constructor(run: Pick<Run, "journal" | "emit">, ruleIndex: number) {
    this.#run = run;
    this.#key = String(ruleIndex);
    this.#doneBefore = (run.journal.find(KIND, this.#key)?.data as { done: number } | undefined)?.done ?? -1;
  }

  /** An earlier attempt has done the step, and what it announced is on record. */
  isDone(step: number): boolean {
    return step <= this.#doneBefore;
  }

  announce(step: number, progress: Progress, length: number): void {
    this.#unnoted = step;
    this.#unnotedLength += length;
    // The note first: the buffer may be recorded as soon as it has the text.
    if (this.#unnotedLength > UNNOTED_LENGTH) this.note();
    this.#run.emit(progress);
  }

  /** To be called before anything during which the buffer may be recorded. */
  note(): void {
    if (this.#unnoted < 0) return;
    this.#run.journal.note({ kind: KIND, key: this.#key, data: { done: this.#unnoted } });
    this.#unnoted = -1;
    this.#unnotedLength = 0;
  }

  /** When the step's wait of `ms` ends: counted from its first beginning, in whatever attempt. Durable when it resolves. */
  async endOfWait(step: number, now: number, ms: number): Promise<number> {
    const key = `${this.#key}.${step}`;
    let begun = this.#run.journal.find("sleep", key);
    if (begun === undefined) {
      this.note();
      begun = await this.#run.journal.record({ kind: "sleep", key, data: { until: now + ms } });
    }
    return (begun.data as { until: number }).until;
  }
}
