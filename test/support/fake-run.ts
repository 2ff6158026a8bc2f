import { APPROVE } from "../../src/tasks/approval-ledger.js";
import { applyEvent, emptyFold } from "../../src/tasks/fold.js";
import type { JournalStep, NewStep } from "../../src/tasks/journal.js";
import { type Message, textOf } from "../../src/tasks/message.js";
import type { Progress, Run, ToolBox, ToolOutcome } from "../../src/tasks/runner.js";
import type { TaskSnapshot } from "../../src/tasks/task.js";
import type { TaskFact } from "../../src/tasks/task-event.js";

type Tool = (args: unknown, callId: string, last: boolean) => ToolOutcome | Promise<ToolOutcome>;

/**
 * One task for the unit tests of a runner: keeps what runs record as the ledger would, so that one attempt after
 * another can be made on it. What an attempt has only noted or emitted is lost when it is killed.
 */
export class FakeTask {
  readonly task: TaskSnapshot;
  readonly journal: JournalStep[] = [];
  /** Everything that readers were shown, in order. */
  readonly shown: Progress[] = [];
  /** Results of finished tool calls by their id, as the tool box journals them. */
  readonly finishedCalls = new Map<string, ToolOutcome>();
  readonly toolCalls: { name: string; args: unknown; callId: string; last: boolean }[] = [];
  inputTokens = 0;
  outputTokens = 0;
  readonly #folded = emptyFold();
  #seq = 0;

  constructor(text: string, facts: Partial<TaskSnapshot> = {}) {
    const id = facts.id ?? "task-1";
    this.task = {
      id,
      tenant: "default",
      contextId: "context-1",
      persona: "writer",
      principal: "user:test",
      trigger: "a2a",
      parentId: null,
      rootId: id,
      hop: 0,
      turn: 1,
      attempt: 0,
      retryOf: null,
      runAt: 0,
      inputTokens: 0,
      outputTokens: 0,
      createdAt: 0,
      ...this.#folded,
      ...facts,
      state: "processing",
    };
    this.say(text);
  }

  /** The caller sends a message; the first one is the task itself. */
  say(text: string): void {
    const messageId = `message-${this.task.history.length + 1}`;
    this.#append({ type: "message", message: { messageId, role: "user", parts: [{ text }] } });
    this.task.turn = this.#messages().length;
  }

  /** What readers have of the artifact `result`. */
  get result(): string | undefined {
    const artifact = this.#folded.artifacts.find(({ artifactId }) => artifactId === "result");
    return artifact === undefined ? undefined : textOf(artifact);
  }

  /** A further attempt, with the tools given by name. */
  attempt(tools: Record<string, Tool> = {}, signal: AbortSignal = new AbortController().signal): FakeRun {
    this.task.attempt++;
    this.task.artifacts = structuredClone(this.#folded.artifacts);
    this.task.history = [...this.#folded.history];
    return new FakeRun(this, this.#messages().at(-1) as Message, tools, signal);
  }

  show(progress: Progress): void {
    this.shown.push(progress);
    if (progress.type === "artifact") this.#append(progress);
    else this.#append({ type: "status", state: "processing", message: progress.message });
  }

  #messages(): Message[] {
    return this.#folded.history.filter(({ role }) => role === "user");
  }

  #append(fact: TaskFact): void {
    applyEvent(this.#folded, { ...fact, seq: ++this.#seq, at: this.#seq });
    this.task.history = [...this.#folded.history];
  }
}

export class FakeRun implements Run {
  readonly task: TaskSnapshot;
  readonly turn: number;
  readonly tools: ToolBox;
  readonly journal: Run["journal"];
  readonly #of: FakeTask;
  readonly #steps: JournalStep[];
  #buffer: (() => void)[] = [];
  #unlessOver: NewStep | undefined;
  /** Called when a step has become durable; throws to kill the attempt there. */
  afterRecord: (step: JournalStep) => void = () => {};
  /** Called with everything emitted, before it is durable. */
  onEmit: (progress: Progress) => void = () => {};

  constructor(
    of: FakeTask,
    readonly message: Message,
    tools: Record<string, Tool>,
    readonly signal: AbortSignal,
  ) {
    this.#of = of;
    this.task = structuredClone(of.task);
    this.turn = of.task.turn;
    this.#steps = [...of.journal];
    this.journal = {
      steps: this.#steps,
      find: (kind, key) =>
        this.#steps.findLast((step) => step.turn === this.turn && step.kind === kind && step.key === key),
      note: (step) => this.#note(step),
      noteUnlessOver: (step) => {
        this.#unlessOver = step;
      },
      record: async (step) => {
        const noted = this.#note(step);
        this.flush();
        this.afterRecord(noted);
        return noted;
      },
    };
    this.tools = {
      descriptors: Object.keys(tools).map((name) => ({
        name,
        description: `the tool ${name}`,
        inputSchema: { type: "object", properties: { q: { type: "string" } } },
      })),
      call: async (name, args, callId, options) => {
        const finished = of.finishedCalls.get(callId);
        if (finished !== undefined) return finished;
        of.toolCalls.push({ name, args, callId, last: options?.last ?? false });
        const tool = tools[name];
        if (tool === undefined) {
          return { type: "result", value: null, text: `there is no tool "${name}"`, isError: true };
        }
        const outcome = await tool(args, callId, options?.last ?? false);
        if (outcome.type === "result") this.#buffer.push(() => of.finishedCalls.set(callId, outcome));
        return outcome;
      },
      approve: (text, callId) => this.tools.call(APPROVE, { text }, callId),
    };
  }

  get stopped(): boolean {
    return this.signal.aborted;
  }

  emit(progress: Progress): void {
    this.onEmit(progress);
    this.#buffer.push(() => this.#of.show(progress));
  }

  countTokens(input: number, output: number): void {
    this.#buffer.push(() => {
      this.#of.inputTokens += input;
      this.#of.outputTokens += output;
    });
  }

  /** Makes durable what has been buffered, as the attempt does from time to time and with the outcome. */
  flush(over = false): void {
    if (this.#unlessOver !== undefined && !over) this.#note(this.#unlessOver);
    this.#unlessOver = undefined;
    for (const record of this.#buffer.splice(0)) record();
  }

  #note(step: NewStep): JournalStep {
    const noted: JournalStep = {
      step: this.#steps.length + 1,
      turn: this.turn,
      kind: step.kind,
      key: step.key,
      data: JSON.parse(JSON.stringify(step.data)),
      at: 0,
    };
    this.#steps.push(noted);
    this.#buffer.push(() => this.#of.journal.push(noted));
    return noted;
  }
}

export const toolResult = (text: string, isError = false): ToolOutcome => ({
  type: "result",
  value: text,
  text,
  isError,
});
