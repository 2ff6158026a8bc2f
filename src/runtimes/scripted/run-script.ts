import type { ScriptPart, ScriptStep } from "../../personas/persona.js";
import type { Clock } from "../../shared/clock.js";
import { NuncioError } from "../../shared/errors.js";
import type { JsonValue } from "../../shared/json.js";
import { approvalMessage } from "../../tasks/approval-message.js";
import { dataOf, type Message, type Part, textOf } from "../../tasks/message.js";
import type { Run, RunOutcome, ToolOutcome, ToolResult } from "../../tasks/runner.js";
import { outsideWords, PERSONA_SEND } from "../outside-words.js";
import { RESULT } from "../result-artifact.js";
import { endsTurn, type MatchedRule } from "./match-rule.js";
import { ScriptProgress } from "./script-progress.js";
import { sleep, untilAborted } from "./sleep.js";
import { expand, expandForPersona, expandJson, expandJsonForPersona, type TemplateScope } from "./template.js";

/** What is returned after an abort does not matter to anybody. */
const ABORTED: RunOutcome = { type: "failed", reason: "aborted", retryable: true };

/** What a script needs of a run. */
export interface ScriptRun extends Pick<Run, "message" | "turn" | "signal" | "stopped" | "emit" | "journal" | "tools"> {
  readonly task: Pick<Run["task"], "id" | "attempt" | "artifacts">;
}

/**
 * Runs the steps of a rule from where an earlier attempt stopped. A mistake in the script is a failure of the run.
 * Answers without a promise when no step waits.
 */
export function runScript(run: ScriptRun, matched: MatchedRule, clock: Clock): RunOutcome | Promise<RunOutcome> {
  try {
    const outcome = new Script(run, matched, clock).run();
    return outcome instanceof Promise ? outcome.catch(failed) : outcome;
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): RunOutcome {
  if (NuncioError.is(error, "invalid_argument")) return { type: "failed", reason: error.message, retryable: false };
  throw error;
}

class Script {
  readonly #run: ScriptRun;
  readonly #rule: MatchedRule;
  readonly #clock: Clock;
  readonly #progress: ScriptProgress;
  readonly #results = new Map<string, JsonValue>();
  readonly #outside = new Map<string, string>();
  readonly #scope: TemplateScope;
  /** Chunks have gone before, in this attempt or an earlier one. */
  #resultOpen: boolean;

  constructor(run: ScriptRun, rule: MatchedRule, clock: Clock) {
    this.#run = run;
    this.#rule = rule;
    this.#clock = clock;
    this.#progress = new ScriptProgress(run, rule.index);
    this.#scope = {
      text: textOf(run.message),
      data: dataOf(run.message),
      turn: run.turn,
      attempt: run.task.attempt,
      results: this.#results,
      outside: this.#outside,
    };
    this.#resultOpen = run.task.artifacts.some(({ artifactId }) => artifactId === RESULT.artifactId);
  }

  /** Only steps that wait give a promise: the others run without a turn of the event loop between them. */
  run(first = 0): RunOutcome | Promise<RunOutcome> {
    const { steps } = this.#rule.rule;
    for (let index = first; index < steps.length; index++) {
      if (this.#run.stopped) return ABORTED;
      const outcome = this.#step(steps[index] as ScriptStep, index);
      if (outcome instanceof Promise) return outcome.then((ended) => ended ?? this.run(index + 1));
      if (outcome !== undefined) return outcome;
    }
    return { type: "completed" };
  }

  #step(step: ScriptStep, at: number): RunOutcome | undefined | Promise<RunOutcome | undefined> {
    if ("status" in step) return this.#say(at, expand(step.status, this.#scope));
    if ("chunk" in step) return this.#chunk(at, expand(step.chunk, this.#scope), this.#isLastChunk(at));
    if ("artifact" in step) return this.#artifact(at, step.artifact);
    if ("sleep" in step) return this.#sleep(at, step.sleep);
    if ("send" in step) {
      const { to, message, await: awaited, timeoutMs, as } = step.send;
      const args = {
        target_persona: expand(to, this.#scope),
        message: expandForPersona(message, this.#scope),
        await_reply: awaited,
        ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
      };
      return this.#call(at, PERSONA_SEND, args, as);
    }
    if ("call" in step) {
      const { url, message, as } = step.call;
      const args = { agentUrl: expand(url, this.#scope), message: expand(message, this.#scope) };
      return this.#call(at, "a2a_call", args, as);
    }
    if ("tool" in step) {
      const { name, with: given, as } = step.tool;
      const fill = name === PERSONA_SEND ? expandJsonForPersona : expandJson;
      return this.#call(at, name, fill(given, this.#scope), as);
    }
    if ("ask" in step) return this.#asked(at, "input", step.ask);
    if ("approve" in step) return this.#approve(at, expand(step.approve, this.#scope));
    if ("auth" in step) return this.#asked(at, "auth", step.auth);
    if ("reply" in step) {
      this.#chunk(at, expand(step.reply, this.#scope), true);
      return { type: "completed" };
    }
    if ("complete" in step) return { type: "completed", message: this.#message(at, step.complete) };
    if ("message" in step) return { type: "completed", message: this.#message(at, step.message) };
    if ("fail" in step) return this.#fail(step.fail);
    if ("reject" in step) return { type: "rejected", reason: expand(step.reject, this.#scope) };
    return this.#hang();
  }

  #say(at: number, text: string): undefined {
    if (this.#progress.isDone(at)) return;
    this.#progress.announce(at, { type: "status", message: this.#messageOf(at, text) });
  }

  #chunk(at: number, text: string, lastChunk: boolean): undefined {
    if (this.#progress.isDone(at)) return;
    const artifact = { ...RESULT, parts: [{ text }] };
    this.#progress.announce(at, { type: "artifact", artifact, append: this.#resultOpen, lastChunk });
    this.#resultOpen = true;
  }

  /** No later step of this turn adds to the result. */
  #isLastChunk(at: number): boolean {
    const following = this.#rule.rule.steps.slice(at + 1);
    const ending = following.findIndex(endsTurn);
    const rest = ending < 0 ? following : following.slice(0, ending + 1);
    // A question does not end the run: the next turn may go on with the result.
    return !rest.some((step) => "chunk" in step || "reply" in step || "ask" in step || "auth" in step);
  }

  #artifact(at: number, { name, parts }: { name: string; parts: readonly ScriptPart[] }): undefined {
    if (this.#progress.isDone(at)) return;
    const artifact = { artifactId: name, name, parts: parts.map((part) => this.#part(part)) };
    this.#progress.announce(at, { type: "artifact", artifact, append: false, lastChunk: true });
  }

  #part(part: ScriptPart): Part {
    if ("text" in part) return { text: expand(part.text, this.#scope) };
    if ("data" in part) return { data: expandJson(part.data, this.#scope) };
    const { mediaType, filename } = part;
    const facts = {
      ...(mediaType === undefined ? {} : { mediaType }),
      ...(filename === undefined ? {} : { filename }),
    };
    return "raw" in part ? { raw: part.raw, ...facts } : { url: expand(part.url, this.#scope), ...facts };
  }

  async #sleep(at: number, ms: number): Promise<RunOutcome | undefined> {
    if (this.#progress.isDone(at)) return;
    const until = await this.#progress.endOfWait(at, this.#clock.now(), ms);
    // Never longer than asked for, should the clock have been set back.
    await sleep(Math.min(until - this.#clock.now(), ms), this.#run.signal);
    return this.#run.stopped ? ABORTED : undefined;
  }

  /** A finished call answers from the journal, so that a later attempt has the results of the steps before. */
  async #call(at: number, name: string, args: JsonValue, as: string | undefined): Promise<RunOutcome | undefined> {
    const outcome = await this.#run.tools.call(name, args, this.#callId(at), { last: true });
    switch (outcome.type) {
      case "result":
        if (as !== undefined) this.#keep(as, name, outcome);
        // Nothing in the script can look at it: whoever watches the task shall see it.
        else if (outcome.isError) this.#say(at, `${name}: ${reasonOf(outcome.value)}`);
        return;
      case "wait":
        return { type: "awaiting", taskIds: outcome.taskIds, until: outcome.until };
      case "parked":
        return { type: "parked" };
      case "ask":
        return { type: "asked", waitingFor: outcome.waitingFor, message: this.#messageOf(at, outcome.question) };
      case "approval":
        return waitsForApproval(outcome);
    }
  }

  #keep(as: string, tool: string, outcome: ToolResult): void {
    this.#results.set(as, outcome.value);
    const words = outsideWords(tool, outcome);
    if (words === undefined) this.#outside.delete(as);
    else this.#outside.set(as, words);
  }

  /** What the operator denies fails the task, with the reason. */
  async #approve(at: number, text: string): Promise<RunOutcome | undefined> {
    const outcome = await this.#run.tools.approve(text, this.#callId(at));
    if (outcome.type === "approval") return waitsForApproval(outcome);
    if (outcome.type !== "result") throw new Error(`an approval came to ${outcome.type}`);
    if (outcome.isError) return { type: "failed", reason: reasonOf(outcome.value), retryable: false };
    return;
  }

  #callId(at: number): string {
    return `${this.#run.turn}.${this.#rule.index}.${at}`;
  }

  #asked(at: number, waitingFor: "input" | "auth", template: string): RunOutcome {
    return { type: "asked", waitingFor, message: this.#message(at, template) };
  }

  #fail({
    text,
    retryable,
    attempts,
  }: {
    text: string;
    retryable: boolean;
    attempts?: number;
  }): RunOutcome | undefined {
    if (attempts !== undefined && this.#run.task.attempt > attempts) return;
    return { type: "failed", reason: expand(text, this.#scope), retryable };
  }

  async #hang(): Promise<RunOutcome> {
    await untilAborted(this.#run.signal);
    return ABORTED;
  }

  #message(at: number, template: string): Message {
    return this.#messageOf(at, expand(template, this.#scope));
  }

  /** The id is the same in every attempt. */
  #messageOf(at: number, text: string): Message {
    return { messageId: `${this.#run.task.id}:${this.#run.turn}.${at}`, role: "agent", parts: [{ text }] };
  }
}

const waitsForApproval = ({ request, until }: Extract<ToolOutcome, { type: "approval" }>): RunOutcome => ({
  type: "approval",
  requests: [request],
  until,
  message: approvalMessage([request]),
});

function reasonOf(value: JsonValue): string {
  const hasError = value !== null && typeof value === "object" && !Array.isArray(value) && "error" in value;
  return hasError ? String(value.error) : JSON.stringify(value);
}
