import type { ChosenInterface } from "../../a2a/client/card/choose-interface.js";
import type { JsonObject } from "../../shared/json.js";
import type { Attempt } from "../../tasks/attempt.js";
import type { JournalStep } from "../../tasks/journal.js";

const SENDING = "a2a_call.sending";
const ACCEPTED = "a2a_call.accepted";

/** A task that an agent outside has begun for a call, and how it is reached. */
export interface AcceptedCall {
  /** As it was called. */
  agentUrl: string;
  taskId: string;
  contextId: string | null;
  via: ChosenInterface;
  /** ms */
  at: number;
}

/**
 * How far a call has come, in the journal of its task. Nothing leaves before `sending` is durable, so that a later attempt
 * never sends again: without `accepted` it does not know what became of the message, with it it knows whom to ask.
 */
export class CallRecord {
  readonly #attempt: Attempt;
  readonly #callId: string;

  constructor(attempt: Attempt, callId: string) {
    this.#attempt = attempt;
    this.#callId = callId;
  }

  /** Whom a message has gone to, or may have; null when none has. */
  get sentTo(): string | null {
    const step = this.#find(SENDING);
    return step === undefined ? null : (step.data as unknown as { agentUrl: string }).agentUrl;
  }

  get accepted(): AcceptedCall | null {
    const step = this.#find(ACCEPTED);
    return step === undefined ? null : { ...(step.data as unknown as Omit<AcceptedCall, "at">), at: step.at };
  }

  /** Messages that this task has sent, or may have sent, over all its calls. */
  get calls(): number {
    return this.#attempt.journal.steps.filter(({ kind }) => kind === SENDING).length;
  }

  /** Whether the agent began this task for a call of our own task: ids of others may be guessed, or come from anybody's words. */
  hasBegun(agentUrl: string, taskId: string): boolean {
    return this.#attempt.journal.steps.some((step) => {
      if (step.kind !== ACCEPTED) return false;
      const begun = step.data as unknown as Omit<AcceptedCall, "at">;
      return begun.taskId === taskId && begun.agentUrl === agentUrl;
    });
  }

  async sending(messageId: string, agentUrl: string): Promise<void> {
    await this.#attempt.journal.record({ kind: SENDING, key: this.#callId, data: { messageId, agentUrl } });
  }

  async accept(call: Omit<AcceptedCall, "at">): Promise<AcceptedCall> {
    const data = call as unknown as JsonObject;
    const { at } = await this.#attempt.journal.record({ kind: ACCEPTED, key: this.#callId, data });
    return { ...call, at };
  }

  /** Over all turns: a call that waits is made again in a later one, too. */
  #find(kind: string): JournalStep | undefined {
    return this.#attempt.journal.steps.findLast((step) => step.kind === kind && step.key === this.#callId);
  }
}
