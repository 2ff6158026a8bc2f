import type { JsonObject } from "../shared/json.js";
import type { Attempt } from "../tasks/attempt.js";
import type { JournalStep } from "../tasks/journal.js";
import type { ToolResult } from "../tasks/runner.js";
import { newNonce } from "./fence.js";
import type { HostResult } from "./host-tool.js";
import { textForModel } from "./text-for-model.js";

const STARTED = "tool_call";
const FINISHED = "tool_result";
const ASKED = "tool_call_asked";

type Shown = Omit<HostResult, "type"> & { nonce?: string };
type Finished = Shown & { name: string };

/**
 * The calls of a run in its journal: a step when a call starts, if anything hangs on its time or on its having begun,
 * and one with its result. The nonce of a fence is recorded with the result, so that a model that is shown it again
 * sees the same text.
 */
export class CallJournal {
  readonly #attempt: Attempt;
  readonly #started = new Map<string, JournalStep>();
  readonly #finished = new Map<string, JournalStep>();

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
    // Over all turns: a call that asked the caller has its result in a later turn.
    for (const step of attempt.journal.steps) {
      if (step.kind === STARTED) this.#started.set(step.key, step);
      else if (step.kind === FINISHED) this.#finished.set(step.key, step);
    }
  }

  /** The tool that was called under this id; undefined when none was. */
  toolOf(callId: string): string | undefined {
    const step = this.#finished.get(callId) ?? this.#started.get(callId);
    return step === undefined ? undefined : (step.data as unknown as { name: string }).name;
  }

  started(callId: string): JournalStep | undefined {
    return this.#started.get(callId);
  }

  finished(callId: string): ToolResult | undefined {
    const step = this.#finished.get(callId);
    return step === undefined ? undefined : shown(step.data as unknown as Finished);
  }

  /** Whether the operator was asked about this call, with whatever arguments. */
  asked(callId: string): boolean {
    return this.#attempt.journal.steps.some(({ kind, key }) => kind === ASKED && key === callId);
  }

  noteAsked(callId: string, name: string): void {
    if (!this.asked(callId)) this.#attempt.journal.note({ kind: ASKED, key: callId, data: { name } });
  }

  noteStart(callId: string, name: string): JournalStep {
    const step =
      this.#started.get(callId) ?? this.#attempt.journal.note({ kind: STARTED, key: callId, data: { name } });
    this.#started.set(callId, step);
    return step;
  }

  /** Nothing of the call has happened before this resolves. */
  async recordStart(callId: string, name: string): Promise<void> {
    this.#started.set(callId, await this.#attempt.journal.record({ kind: STARTED, key: callId, data: { name } }));
  }

  noteResult(callId: string, name: string, { value, isError, said }: HostResult): ToolResult {
    const finished: Finished = { name, value, isError, ...(said === undefined ? {} : { said, nonce: newNonce() }) };
    const data = finished as unknown as JsonObject;
    this.#finished.set(callId, this.#attempt.journal.note({ kind: FINISHED, key: callId, data }));
    return shown(finished);
  }
}

/** A result as a run gets it. */
export const shown = ({ value, isError, said, nonce }: Shown): ToolResult => ({
  type: "result",
  value,
  text: textForModel(value, said, nonce ?? ""),
  isError,
});
