import type { JsonValue } from "../shared/json.js";
import type { NewApproval } from "./approval-ledger.js";
import type { JournalStep, NewStep } from "./journal.js";
import type { Foreseen } from "./ledger.js";
import type { Artifact, Message } from "./message.js";
import type { TaskSnapshot } from "./task.js";

/** How a task is executed. One runner serves all tasks of its kind at the same time, so it keeps no state of a run. */
export interface TaskRunner {
  /**
   * Runs one attempt. Resolves with its outcome; a thrown error is a failure, retryable only if it says so itself.
   * After `signal` aborts, what it returns does not matter, but it must settle soon: a cancel waits for it.
   */
  run(run: Run): Promise<RunOutcome>;
  /**
   * What the first run of a task will say and come to, when that needs nothing but its message: no time, no tool, no
   * outside world. Such a task can be done in the transaction that submits it. Null when that cannot be said.
   */
  foresee?(work: NewWork): Foreseen | null;
}

/** A task that is about to be submitted. */
export interface NewWork {
  id: string;
  tenant: string;
  persona: string;
  message: Message;
}

export interface Run {
  readonly task: TaskSnapshot;
  /** The message that this turn works on. */
  readonly message: Message;
  /** 1 for the first message of the task, 2 after its first question was answered. */
  readonly turn: number;
  readonly signal: AbortSignal;
  /** Whether `signal` has aborted, for those who only look: the signal itself is made when it is first asked for. */
  readonly stopped: boolean;
  /**
   * Announces progress. Buffered: text deltas are coalesced (100 ms or 2 KiB), and everything is recorded in order,
   * together with the next journal step or the outcome at the latest.
   */
  emit(progress: Progress): void;
  readonly journal: RunJournal;
  readonly tools: ToolBox;
  /** Adds to the task's token counts. */
  countTokens(input: number, output: number): void;
}

export type Progress =
  | { type: "status"; message: Message }
  | { type: "artifact"; artifact: Artifact; append: boolean; lastChunk: boolean };

export interface RunJournal {
  /** Steps of earlier attempts and turns, then those recorded since. */
  readonly steps: readonly JournalStep[];
  /** Finds the last step of this turn with that kind and key. */
  find(kind: string, key: string): JournalStep | undefined;
  /**
   * Adds a step to the buffer: it becomes durable with everything emitted so far, at the next `record`, flush or outcome.
   * For steps whose repetition would show only what readers see anyway.
   */
  note(step: NewStep): JournalStep;
  /**
   * Adds a step to the record into which goes what is emitted now, unless the task is over with that record: then nobody
   * needs to know how far it was. It takes the place of one that waits for its record.
   */
  noteUnlessOver(step: NewStep): void;
  /** Adds a step and waits until it is durable: nothing that depends on it may happen before. */
  record(step: NewStep): Promise<JournalStep>;
}

/** The tools that this run may use, already filtered by the persona's capabilities. */
export interface ToolBox {
  readonly descriptors: readonly ToolDescriptor[];
  /**
   * Calls a tool. `callId` must be the same when a later attempt repeats the call. An unknown or forbidden tool and bad
   * arguments are results with `isError`, which the run can handle.
   *
   * The whole life of the call is journaled in here: a finished call answers with its recorded result, one that was in
   * flight when an attempt died is called again if it is idempotent and is "outcome unknown" otherwise.
   *
   * @param callId unique within the task, over all its turns: a turn that goes on after a question repeats the call
   */
  call(name: string, args: unknown, callId: string, options?: CallOptions): Promise<ToolOutcome>;
  /**
   * Asks the operator a question that no tool is behind. The result is `{ decision, reason }`, and an error unless it was
   * approved.
   */
  approve(text: string, callId: string): Promise<ToolOutcome>;
}

export interface CallOptions {
  /**
   * Nothing else of the run is unfinished, so the call may park the attempt in the transaction that delegates and
   * answer `parked`. Without it a call that has to wait answers `wait`.
   */
  last?: boolean;
}

export interface ToolDescriptor {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  inputSchema: Record<string, unknown>;
}

export type ToolOutcome =
  | ToolResult
  /**
   * The call waits for these tasks. When every other call of the step is done the runner must return `awaiting` with
   * all of them; the next attempt makes the call again with the same id.
   */
  | { type: "wait"; taskIds: string[]; until: number }
  /** The whole attempt has been parked already, in the transaction of the call: the runner must return `parked`. */
  | { type: "parked" }
  /**
   * The turn ends with a question: the runner returns `asked`. In the next turn the same call gives the answer as its
   * result. Further calls of the step that may ask are made only then, since one message answers one question.
   */
  | { type: "ask"; waitingFor: "input" | "auth"; question: string }
  /**
   * The operator has to decide first: when every other call of the step is done the runner returns `approval` with all
   * requests of the step. The next attempt makes the calls again with the same ids.
   */
  | { type: "approval"; request: NewApproval; until: number };

export interface ToolResult {
  type: "result";
  /** For programs, such as the templates of a script: JSON in which the words of other agents stand as they are. */
  value: JsonValue;
  /**
   * For models: the same as one text, in which the words of others are labeled, fenced with a nonce of this call and
   * cut to 16 KiB. A repetition of the call gives the same text. A model is shown this and never `value`.
   */
  text: string;
  isError: boolean;
}

export type RunOutcome =
  | { type: "completed"; message?: Message }
  | { type: "failed"; reason: string; retryable: boolean }
  | { type: "rejected"; reason: string }
  | { type: "asked"; waitingFor: "input" | "auth"; message: Message }
  | { type: "awaiting"; taskIds: readonly string[]; until: number }
  /** `message` from `approvalMessage`. With `taskIds` it goes on as well when one of them has ended. */
  | {
      type: "approval";
      requests: readonly NewApproval[];
      taskIds?: readonly string[];
      until: number;
      message: Message;
    }
  | { type: "parked" };
