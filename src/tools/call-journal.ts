import type { JsonObject } from "../shared/json.js";
import type { Attempt } from "../tasks/attempt.js";
import type { JournalStep } from "../tasks/journal.js";
import type { ToolResult } from "../tasks/runner.js";
import { newNonce } from "./fence.js";
import type { HostResult } from "./host-tool.js";
import { textForModel } from "./text-for-model.js";

const STARTED = "tool_call";
const FINISHED = "tool_result";

type Finished = Omit<HostResult, "type"> & { name: string; nonce?: string };

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

  started(callId: string): JournalStep | undefined {
    return this.#started.get(callId);
  }

  finished(callId: string): ToolResult | undefined {
    const step = this.#finished.get(callId);
    return step === undefined ? undefined : shown(step.data as unknown as Finished);
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

const shown = ({ value, isError, said, nonce }: Finished): ToolResult => ({
  type: "result",
  value,
  text: textForModel(value, said, nonce ?? ""),
  isError,
});
