import type { ModelMessage } from "ai";
import type { PersonaRuntime } from "../../personas/persona.js";
import type { Provider } from "../../personas/provider.js";
import type { PersonaRegistry } from "../../personas/registry.js";
import { NuncioError } from "../../shared/errors.js";
import { newId } from "../../shared/ids.js";
import type { TenantLedger } from "../../tasks/ledger.js";
import type { Run, RunOutcome, TaskRunner } from "../../tasks/runner.js";
import type { Task } from "../../tasks/task.js";
import { messageText } from "../message-text.js";
import { referencedTasks } from "../referenced-tasks.js";
import { ResultArtifact, SECTION_BREAK } from "../result-artifact.js";
import { withTimeLimit } from "../time-limit.js";
import { callTools } from "./call-tools.js";
import { conversationMessages } from "./conversation.js";
import { callsOf, MODEL_TURN, type ModelTurn, type RecordedTurn, recordedTurns } from "./model-turn.js";
import type { ProviderAccess } from "./providers.js";
import { assistantMessage, toolMessage, userMessage, writtenText } from "./transcript.js";

/** How many earlier tasks of a context are looked at, and how much of them a model is shown. */
const CONVERSATION_TASKS = 50;
const CONVERSATION_TOKENS = 20_000;

type ModelRuntime = Extract<PersonaRuntime, { type: "model" }>;

export interface ModelRunnerParts extends ProviderAccess {
  personas: Pick<PersonaRegistry, "get">;
  providers: Readonly<Record<string, Provider>>;
  ledger: { forTenant(tenant: string): Pick<TenantLedger, "conversation" | "snapshot" | "tokensOfRoot"> };
  /** Once a task from outside, with everything delegated from it, has used so many, no model is called for it any more. */
  maxTokensPerRoot: number;
  /** Called before each request to a model: resolves when it is noted for good, and rejects when it may not be made. */
  countInvocation(task: Task): Promise<void>;
}

/**
 * A persona that is a model with tools. Each answer of the model is in the journal before anything is done about it,
 * and the tool box journals what comes of each call; so an attempt that follows a crash or a wait goes on behind the
 * last recorded step and pays for none again. If we die while an answer streams, that one answer is asked for again.
 */
export class ModelRunner implements TaskRunner {
  readonly #parts: ModelRunnerParts;

  constructor(parts: ModelRunnerParts) {
    this.#parts = parts;
  }

  async run(run: Run): Promise<RunOutcome> {
    const runtime = this.#runtimeOf(run);
    return withTimeLimit(run.signal, runtime.timeoutMs, "the run", async (signal) => {
      const answers = recordedTurns(run.journal.steps);
      const result = new ResultArtifact(
        (progress) => run.emit(progress),
        run.task.artifacts,
        writtenText(answers, SECTION_BREAK),
      );
      const messages = await this.#opening(run);
      for (let number = 1; ; number++) {
        let answer = answers[number - 1];
        if (answer === undefined) {
          if (answers.filter(({ turn }) => turn === run.turn).length >= runtime.maxSteps) return stepLimit(runtime);
          const used = await this.#tokensOfRoot(run);
          if (used >= this.#parts.maxTokensPerRoot) return tokenLimit(used, this.#parts.maxTokensPerRoot);
          answer = await this.#nextAnswer({ run, runtime, messages, result, number, signal });
          answers.push(answer);
        }
        const calls = callsOf(answer);
        if (calls.length === 0) return outcomeOf(answer);
        const called = await callTools(run, calls, signal);
        if ("outcome" in called) return called.outcome;
        const said = assistantMessage(answer);
        messages.push(...(said === null ? [] : [said]), toolMessage(calls, called.results));
      }
    });
  }

  #runtimeOf(run: Run): ModelRuntime {
    const { tenant, persona } = run.task;
    const runtime = this.#parts.personas.get(tenant, persona)?.runtime;
    if (runtime?.type === "model") return runtime;
    throw new NuncioError("failed_precondition", `persona "${persona}" is not run by a model here`);
  }

  /**
   * What the model is shown before its own first answer. Messages of later turns are not in it: they answer a question
   * that a tool call asked, and are the result of that call. A delegated task sees only what it was sent.
   */
  async #opening({ task, message, turn }: Run): Promise<ModelMessage[]> {
    const first = turn === 1 ? message : (task.history.find(({ role }) => role === "user") ?? message);
    if (task.parentId !== null) return [userMessage(messageText(first))];
    const referenced = await referencedTasks(task, first, this.#parts.ledger);
    const { tenant, contextId, persona, principal, id } = task;
    const query = { contextId, persona, principal, before: id, limit: CONVERSATION_TASKS };
    const earlier = await this.#parts.ledger.forTenant(tenant).conversation(query);
    const text = [messageText(first), referenced].filter((part) => part !== "").join("\n\n");
    return [...conversationMessages(earlier, CONVERSATION_TOKENS), userMessage(text)];
  }

  /**
   * What the answers of this run have used is among them, since they were recorded before what followed from them. Other
   * tasks of the tree that are being answered at this moment are not: each can go beyond the limit by one answer.
   */
  #tokensOfRoot({ task }: Run): Promise<number> {
    return this.#parts.ledger.forTenant(task.tenant).tokensOfRoot(task.rootId);
  }

  /** Asks the model for its next answer, shows its text as it comes, and records it. */
  async #nextAnswer(step: {
    run: Run;
    runtime: ModelRuntime;
    messages: readonly ModelMessage[];
    result: ResultArtifact;
    number: number;
    signal: AbortSignal;
  }): Promise<RecordedTurn> {
    const { run, runtime, result, number } = step;
    // Loaded at the first call: the SDK takes longer to import than the rest of the daemon to start.
    const [{ connectModel }, { callModel }] = await Promise.all([import("./providers.js"), import("./model-step.js")]);
    const { providers } = this.#parts;
    const provider = Object.hasOwn(providers, runtime.provider) ? providers[runtime.provider] : undefined;
    if (provider === undefined || provider.type === "command") {
      throw new NuncioError("failed_precondition", `no model provider "${runtime.provider}" is configured`);
    }
    await this.#parts.countInvocation(run.task);
    result.section();
    const answer = await callModel({
      connected: connectModel(runtime.provider, provider, runtime.model, this.#parts),
      system: runtime.systemPrompt,
      messages: step.messages,
      tools: run.tools.descriptors,
      number,
      signal: step.signal,
      onText: (text) => result.write(text),
    });
    run.countTokens(answer.inputTokens, answer.outputTokens);
    const recorded = { kind: MODEL_TURN, key: `model-${number}`, data: answer };
    if (callsOf(answer).length > 0) {
      await run.journal.record(recorded);
    } else {
      result.end();
      run.journal.note(recorded); // nothing depends on it but the outcome, which is recorded with it
    }
    return { ...answer, turn: run.turn };
  }
}

function outcomeOf(answer: ModelTurn): RunOutcome {
  switch (answer.finish) {
    case "content-filter":
      return { type: "failed", reason: "the provider refused to answer (content filter)", retryable: false };
    case "length": {
      const parts = [{ text: "The answer was cut off at the output limit of the model." }];
      return { type: "completed", message: { messageId: newId(), role: "agent", parts } };
    }
    default:
      return { type: "completed" };
  }
}

const tokenLimit = (used: number, limit: number): RunOutcome => ({
  type: "failed",
  reason:
    `the request that this task belongs to has used ${used} model tokens; ` +
    `the limit is ${limit} (a2a.maxTokensPerRoot)`,
  retryable: false,
});

const stepLimit = ({ maxSteps }: ModelRuntime): RunOutcome => ({
  type: "failed",
  reason: `the model was still calling tools after ${maxSteps} answers (maxSteps)`,
  retryable: false,
});
