import type { ScriptRule } from "../../personas/persona.js";
import type { Clock } from "../../shared/clock.js";
import type { Foreseen } from "../../tasks/ledger.js";
import { type Message, textOf } from "../../tasks/message.js";
import type { NewWork, Progress, Run, RunOutcome, TaskRunner } from "../../tasks/runner.js";
import { RESULT } from "../result-artifact.js";
import { ForeseenRun, foreseeScript } from "./foresee.js";
import { matchRule } from "./match-rule.js";
import { runScript } from "./run-script.js";

type PersonaKey = Pick<NewWork, "tenant" | "persona">;

/** Runs personas that are described by rules: no model, no key, no network. */
export class ScriptedRunner implements TaskRunner {
  readonly #rulesOf: (task: PersonaKey) => readonly ScriptRule[];
  readonly #clock: Clock;

  constructor(rulesOf: (task: PersonaKey) => readonly ScriptRule[], clock: Clock) {
    this.#rulesOf = rulesOf;
    this.#clock = clock;
  }

  async run(run: Run): Promise<RunOutcome> {
    const matched = matchRule(this.#rulesOf(run.task), run.message, run.turn);
    if (matched !== undefined) return runScript(run, matched, this.#clock);
    run.emit(echo(run.message));
    return COMPLETED;
  }

  foresee(work: NewWork): Foreseen | null {
    const run = new ForeseenRun(work);
    const matched = matchRule(this.#rulesOf(work), work.message, run.turn);
    if (matched !== undefined) return foreseeScript(run, matched, this.#clock);
    run.emit(echo(work.message));
    return run.foreseen(COMPLETED);
  }
}

const COMPLETED: RunOutcome = { type: "completed" };

/** The text, or where there is none whatever else was sent. */
function echo(message: Message): Progress {
  const hasText = message.parts.some((part) => "text" in part);
  const parts = hasText ? [{ text: textOf(message) }] : [...message.parts];
  return { type: "artifact", artifact: { ...RESULT, parts }, append: false, lastChunk: true };
}
