import type { Progress, Run } from "../../tasks/runner.js";

const KIND = "script";

/**
 * How far a script is, in the journal. A script runs its steps in order, so that one number says which are done; it is
 * noted in the same record as what the steps announced, whichever that is. A later attempt announces nothing a second time.
 */
export class ScriptProgress {
  readonly #run: Pick<Run, "journal" | "emit">;
  readonly #key: string;
  readonly #doneBefore: number;

  constructor(run: Pick<Run, "journal" | "emit">, ruleIndex: number) {
    this.#run = run;
    this.#key = String(ruleIndex);
    this.#doneBefore = (run.journal.find(KIND, this.#key)?.data as { done: number } | undefined)?.done ?? -1;
  }

  /** An earlier attempt has done the step, and what it announced is on record. */
  isDone(step: number): boolean {
    return step <= this.#doneBefore;
  }

  announce(step: number, progress: Progress): void {
    // The note first: the buffer may be recorded as soon as it has the text.
    this.#run.journal.noteUnlessOver({ kind: KIND, key: this.#key, data: { done: step } });
    this.#run.emit(progress);
  }

  /** When the step's wait of `ms` ends: counted from its first beginning, in whatever attempt. Durable when it resolves. */
  async endOfWait(step: number, now: number, ms: number): Promise<number> {
    const key = `${this.#key}.${step}`;
    const begun =
      this.#run.journal.find("sleep", key) ??
      (await this.#run.journal.record({ kind: "sleep", key, data: { until: now + ms } }));
    return (begun.data as { until: number }).until;
  }
}
