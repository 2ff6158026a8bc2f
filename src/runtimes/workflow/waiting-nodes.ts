import type { NewApproval } from "../../tasks/approval-ledger.js";
import { approvalMessage } from "../../tasks/approval-message.js";
import type { RunOutcome, ToolOutcome } from "../../tasks/runner.js";

type Wait = Exclude<ToolOutcome, { type: "result" } | { type: "parked" }>;

/** What the nodes of a workflow wait for, all at the same time: replies, the operator, the caller. */
export class WaitingNodes {
  readonly #ids = new Set<string>();
  readonly #taskIds = new Set<string>();
  readonly #requests: NewApproval[] = [];
  #until = Number.POSITIVE_INFINITY;
  #asks: { nodeId: string; ask: Extract<Wait, { type: "ask" }> } | undefined;

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  get any(): boolean {
    return this.#ids.size > 0;
  }

  /** One message of the caller answers one question, so that nothing else may ask in this turn. */
  get asksCaller(): boolean {
    return this.#asks !== undefined;
  }

  add(id: string, wait: Wait): void {
    this.#ids.add(id);
    if (wait.type === "ask") {
      this.#asks ??= { nodeId: id, ask: wait };
      return;
    }
    this.#until = Math.min(this.#until, wait.until);
    if (wait.type === "approval") this.#requests.push(wait.request);
    else for (const taskId of wait.taskIds) this.#taskIds.add(taskId);
  }

  /** Nothing else can be done: the attempt ends, and keeps no slot. */
  outcome(taskId: string): RunOutcome {
    if (this.#asks !== undefined) {
      const { nodeId, ask } = this.#asks;
      const messageId = `${taskId}:${nodeId}`;
      const message = { messageId, role: "agent" as const, parts: [{ text: ask.question }] };
      return { type: "asked", waitingFor: ask.waitingFor, message };
    }
    const taskIds = [...this.#taskIds];
    const until = this.#until;
    if (this.#requests.length === 0) return { type: "awaiting", taskIds, until };
    const requests = this.#requests;
    return { type: "approval", requests, taskIds, until, message: approvalMessage(requests) };
  }
}
