import { peerOf } from "../plans/assignment.js";
import { messageOf } from "../shared/errors.js";
import type { TaskLedger } from "../tasks/ledger.js";
import { isTerminal } from "../tasks/task-state.js";
import { askToCancel } from "./ask-to-cancel.js";
import type { PeerDesk } from "./desk.js";
import { endLocally } from "./end-locally.js";

export interface AfterTheEndDeps extends PeerDesk {
  ledger: Pick<TaskLedger, "onChange" | "forTenant">;
  /** Resolves when the run of the task has stopped here. */
  whenStopped(taskId: string): Promise<void>;
  onError(error: unknown, facts: { taskId: string; doing: string }): void;
}

/**
 * What follows when a task that a peer works on has ended here: it is written down, and where the operator has canceled
 * it the peer is asked to stop, once. If the daemon dies in between, that is left to `a2a reconcile`.
 */
export class AfterTheEnd {
  readonly #deps: AfterTheEndDeps;
  readonly #work = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  readonly #unsubscribe: () => void;

  constructor(deps: AfterTheEndDeps) {
    this.#deps = deps;
    this.#unsubscribe = deps.ledger.onChange(({ tenant, taskId, persona, state, events }) => {
      // Without events it comes from another node, which sees to it itself.
      if (events === undefined || !isTerminal(state) || peerOf(persona) === null) return;
      this.#do(taskId, () => this.#ended(tenant, taskId, state === "canceled"));
    });
  }

  /** What a daemon that died has not written down: a slot that was taken for what was never sent is free again. */
  async catchUp(): Promise<void> {
    const { store, ledger } = this.#deps;
    for (const { tenant, taskId, facts } of await store.holding()) {
      if (facts.localCleanup !== null) continue;
      const task = await ledger.forTenant(tenant).task(taskId);
      if (task !== null && !isTerminal(task.state)) continue;
      await endLocally(this.#deps, tenant, taskId);
    }
  }

  /** Whatever is being asked is given up. */
  async close(): Promise<void> {
    this.#unsubscribe();
    this.#closing.abort();
    await Promise.allSettled(this.#work);
  }

  async #ended(tenant: string, taskId: string, canceled: boolean): Promise<void> {
    const { whenStopped } = this.#deps;
    // A message that is on its way may still be answered with the id of a task.
    await whenStopped(taskId);
    const dispatch = await endLocally(this.#deps, tenant, taskId);
    if (canceled) await askToCancel(this.#deps, dispatch, { again: false, signal: this.#closing.signal });
  }

  #do(taskId: string, work: () => Promise<void>): void {
    const done: Promise<void> = work()
      .catch((error) => {
        if (this.#closing.signal.aborted) return;
        this.#deps.onError(error, { taskId, doing: `what follows the end of a peer's task (${messageOf(error)})` });
      })
      .finally(() => this.#work.delete(done));
    this.#work.add(done);
  }
}
