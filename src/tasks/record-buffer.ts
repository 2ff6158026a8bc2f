import type { Clock } from "../shared/clock.js";
import type { JournalStep, NewStep } from "./journal.js";
import type { AttemptRecord, Lease } from "./ledger.js";
import type { TaskFact } from "./task-event.js";

/** What an attempt has said and not yet recorded, in order. */
export class RecordBuffer {
  /** All steps of the task, those of earlier attempts first. */
  readonly steps: JournalStep[];
  readonly #lease: Lease;
  readonly #turn: number;
  readonly #clock: Clock;
  #facts: TaskFact[] = [];
  #newSteps: JournalStep[] = [];
  #unlessOver: NewStep | undefined;
  #started = false;
  #inputTokens = 0;
  #outputTokens = 0;
  #characters = 0;

  constructor(lease: Lease, steps: JournalStep[], turn: number, clock: Clock) {
    this.#lease = lease;
    this.steps = steps;
    this.#turn = turn;
    this.#clock = clock;
  }

  /** Length of the text that waits. */
  get characters(): number {
    return this.#characters;
  }

  get hasWork(): boolean {
    return (
      !this.#started ||
      this.#facts.length > 0 ||
      this.#newSteps.length > 0 ||
      this.#inputTokens + this.#outputTokens > 0
    );
  }

  add(fact: TaskFact): void {
    addFact(this.#facts, fact);
    this.#characters += charactersOf(fact);
  }

  countTokens(input: number, output: number): void {
    this.#inputTokens += input;
    this.#outputTokens += output;
  }

  note(step: NewStep): JournalStep {
    const number = (this.steps.at(-1)?.step ?? 0) + 1;
    const noted = { ...step, step: number, turn: this.#turn, at: this.#clock.now() };
    this.steps.push(noted);
    this.#newSteps.push(noted);
    return noted;
  }

  noteUnlessOver(step: NewStep): void {
    this.#unlessOver = step;
  }

  find(kind: string, key: string): JournalStep | undefined {
    return this.steps.findLast((step) => step.turn === this.#turn && step.kind === kind && step.key === key);
  }

  /** @param over the task ends with this record */
  take(over = false): AttemptRecord {
    if (this.#unlessOver !== undefined && !over) this.note(this.#unlessOver);
    this.#unlessOver = undefined;
    const record: AttemptRecord = {
      lease: this.#lease,
      now: this.#clock.now(),
      start: !this.#started,
      facts: this.#facts,
      steps: this.#newSteps,
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
    };
    this.#started = true;
    this.#facts = [];
    this.#newSteps = [];
    this.#inputTokens = 0;
    this.#outputTokens = 0;
    this.#characters = 0;
    return record;
  }

  /** The record could not be written: it goes before what has come since. */
  putBack(record: AttemptRecord): void {
    if (record.start) this.#started = false;
    this.#facts = [...record.facts, ...this.#facts];
    for (const fact of record.facts) this.#characters += charactersOf(fact);
    this.#newSteps = [...record.steps, ...this.#newSteps];
    this.#inputTokens += record.inputTokens;
    this.#outputTokens += record.outputTokens;
  }
}

/** Text that goes on where the last fact ended becomes part of that fact. */
export function addFact(facts: TaskFact[], fact: TaskFact): void {
  const last = facts.at(-1);
  const joined = last === undefined ? null : joinText(last, fact);
  if (joined === null) facts.push(fact);
  else facts[facts.length - 1] = joined;
}

function charactersOf(fact: TaskFact): number {
  if (fact.type !== "artifact") return 0;
  return fact.artifact.parts.reduce((sum, part) => sum + ("text" in part ? part.text.length : 0), 0);
}

/** Two neighboring pieces of text of one artifact are one fact. Null when they do not join. */
function joinText(before: TaskFact, after: TaskFact): TaskFact | null {
  if (before.type !== "artifact" || after.type !== "artifact") return null;
  if (!after.append || before.lastChunk || before.artifact.artifactId !== after.artifact.artifactId) return null;
  const [a, ...restA] = before.artifact.parts;
  const [b, ...restB] = after.artifact.parts;
  if (restA.length > 0 || restB.length > 0 || a === undefined || b === undefined) return null;
  if (!("text" in a) || !("text" in b) || Object.keys(a).length > 1 || Object.keys(b).length > 1) return null;
  return {
    ...before,
    artifact: { ...before.artifact, parts: [{ text: a.text + b.text }] },
    lastChunk: after.lastChunk,
  };
}
