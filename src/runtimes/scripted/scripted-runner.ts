import type { ScriptRule } from "../../personas/persona.js";
import type { Clock } from "../../shared/clock.js";
import { type Artifact, textOf } from "../../tasks/message.js";
import type { Run, RunOutcome, TaskRunner } from "../../tasks/runner.js";
import type { TaskSnapshot } from "../../tasks/task.js";
import { RESULT } from "../result-artifact.js";
import { matchRule } from "./match-rule.js";
import { runScript } from "./run-script.js";

const COMPLETED: Promise<RunOutcome> = Promise.resolve({ type: "completed" });

/** Runs personas that are described by rules: no model, no key, no network. */
export class ScriptedRunner implements TaskRunner {
  readonly #rulesOf: (task: TaskSnapshot) => readonly ScriptRule[];
  readonly #clock: Clock;

  constructor(rulesOf: (task: TaskSnapshot) => readonly ScriptRule[], clock: Clock) {
    this.#rulesOf = rulesOf;
    this.#clock = clock;
  }

  run(run: Run): Promise<RunOutcome> {
    const matched = matchRule(this.#rulesOf(run.task), run.message, run.turn);
    if (matched !== undefined) return runScript(run, matched, this.#clock);
    run.emit({ type: "artifact", artifact: echo(run), append: false, lastChunk: true });
    return COMPLETED;
  }
}

/** The text, or where there is none whatever else was sent. */
function echo({ message }: Run): Artifact {
  const hasText = message.parts.some((part) => "text" in part);
  return {
    ...RESULT,
    parts: hasText ? [{ text: textOf(message) }] : [...message.parts],
  };
}
