import type { ScriptStep } from "../../personas/persona.js";
import type { Clock } from "../../shared/clock.js";
import { agentSays } from "../../tasks/agent-says.js";
import { foldArtifact } from "../../tasks/fold.js";
import type { Foreseen } from "../../tasks/ledger.js";
import type { Artifact, Message } from "../../tasks/message.js";
import { addFact } from "../../tasks/record-buffer.js";
import type { NewWork, Progress, RunJournal, RunOutcome } from "../../tasks/runner.js";
import type { TaskFact } from "../../tasks/task-event.js";
import { endsTurn, type MatchedRule } from "./match-rule.js";
import { runScript, type ScriptRun } from "./run-script.js";

/** What the script says and comes to when nothing in it waits, asks, calls, or fails for a time; null otherwise. */
export function foreseeScript(run: ForeseenRun, matched: MatchedRule, clock: Clock): Foreseen | null {
  const { steps } = matched.rule;
  const ending = steps.findIndex(endsTurn);
  if (!steps.slice(0, ending < 0 ? undefined : ending + 1).every(needsNothing)) return null;
  const outcome = runScript(run, matched, clock);
  return outcome instanceof Promise ? null : run.foreseen(outcome);
}

const needsNothing = (step: ScriptStep): boolean =>
  "status" in step ||
  "chunk" in step ||
  "artifact" in step ||
  "reply" in step ||
  "complete" in step ||
  "message" in step ||
  "reject" in step ||
  ("fail" in step && step.fail.attempts === undefined && !step.fail.retryable);

/** How far a script is need not be known of a task that has ended when it is there. */
const NO_JOURNAL: RunJournal = {
  steps: [],
  find: () => undefined,
  noteUnlessOver: () => {},
  note: (step) => ({ ...step, step: 1, turn: 1, at: 0 }),
  record: () => Promise.reject(new Error("what is foreseen records nothing")),
};

/** The first attempt of a task that is not there yet: it collects what is said, and can neither wait nor call a tool. */
export class ForeseenRun implements ScriptRun {
  readonly task: ScriptRun["task"];
  readonly message: Message;
  readonly turn = 1;
  readonly stopped = false;
  readonly journal = NO_JOURNAL;
  readonly #facts: TaskFact[] = [];
  readonly #artifacts: Artifact[] = [];

  constructor({ id, message }: NewWork) {
    this.task = { id, attempt: 1, artifacts: [] };
    this.message = message;
  }

  emit(progress: Progress): void {
    if (progress.type === "status") {
      this.#facts.push({ type: "status", state: "processing", message: progress.message });
      return;
    }
    foldArtifact(this.#artifacts, progress.artifact, progress.append);
    addFact(this.#facts, progress);
  }

  foreseen(outcome: RunOutcome): Foreseen | null {
    const ending = endingOf(outcome);
    return ending === null ? null : { facts: this.#facts, artifacts: this.#artifacts, outcome: ending };
  }

  get signal(): AbortSignal {
    throw new Error("what is foreseen does not wait");
  }

  get tools(): never {
    throw new Error("what is foreseen calls no tool");
  }
}

function endingOf(outcome: RunOutcome): Foreseen["outcome"] | null {
  switch (outcome.type) {
    case "completed":
      return outcome;
    case "rejected":
      return { type: "rejected", message: agentSays(outcome.reason) };
    case "failed":
      return outcome.retryable ? null : { type: "failed", message: agentSays(outcome.reason) };
    default:
      return null;
  }
}
