import type { TaskChange, TaskLedger } from "../../tasks/ledger.js";
import { isTerminal } from "../../tasks/task-state.js";
import { placeOf } from "./place-of.js";

interface Outstanding {
  agentUrl: string;
  /** Tells the agent that its task is not wanted any more. */
  withdraw(): Promise<void>;
}

/**
 * Which tasks of agents outside our unfinished tasks have begun, as far as this process knows: when one of ours is
 * canceled, theirs are asked to stop, whether ours was running or parked. Best effort: after a restart a call is known
 * again when it is looked at for the next time, and what an agent answers changes nothing.
 */
export class OutstandingCalls {
  readonly #ledger: Pick<TaskLedger, "forTenant">;
  readonly #byTask = new Map<string, Map<string, Outstanding>>();
  readonly #unsubscribe: () => void;

  constructor(ledger: Pick<TaskLedger, "forTenant" | "onChange">) {
    this.#ledger = ledger;
    this.#unsubscribe = ledger.onChange((change) => this.#onChange(change));
  }

  add(taskId: string, callId: string, call: Outstanding): void {
    const calls = this.#byTask.get(taskId) ?? new Map<string, Outstanding>();
    calls.set(callId, call);
    this.#byTask.set(taskId, calls);
  }

  remove(taskId: string, callId: string): void {
    const calls = this.#byTask.get(taskId);
    if (calls?.delete(callId) === true && calls.size === 0) this.#byTask.delete(taskId);
  }

  /** The agents outside that a task of ours waits for, by the places of their URLs. */
  agentsOf(taskId: string): string[] {
    const calls = [...(this.#byTask.get(taskId)?.values() ?? [])];
    return [...new Set(calls.map(({ agentUrl }) => placeOf(agentUrl)))];
  }

  /** The attempt was told to stop before its call was known here: why, the ledger says. */
  async look(tenant: string, taskId: string): Promise<void> {
    if (!this.#byTask.has(taskId)) return;
    const task = await this.#ledger.forTenant(tenant).task(taskId);
    if (task !== null && isTerminal(task.state)) this.#onChange({ taskId, state: task.state });
  }

  close(): void {
    this.#unsubscribe();
    this.#byTask.clear();
  }

  #onChange({ taskId, state }: Pick<TaskChange, "taskId" | "state">): void {
    if (this.#byTask.size === 0 || !isTerminal(state)) return;
    const calls = this.#byTask.get(taskId);
    this.#byTask.delete(taskId);
    if (state !== "canceled" || calls === undefined) return;
    for (const call of calls.values()) call.withdraw().catch(() => {});
  }
}
