import type { Clock } from "../shared/clock.js";
import { newId } from "../shared/ids.js";
import type { QueueBounds, Submit, Submitted, TaskLedger } from "./ledger.js";
import { laneOf } from "./task.js";
import type { NewTask, TaskService } from "./task-service.js";
import type { Worker } from "./worker.js";

/** A cancel answers when the run has stopped, or after this time. */
const STOP_MS = 5000;

export interface TaskServiceOptions {
  ledger: TaskLedger;
  worker: Worker;
  clock: Clock;
  maxAttempts: number;
  /** Of the queues that tasks from outside come into. */
  bounds?: QueueBounds;
}

/** `maxAttempts` and `bounds` are read for each task: they may change. */
export function ledgerTaskService(options: TaskServiceOptions): TaskService {
  const { ledger, worker, clock } = options;
  return {
    async submit(task) {
      const { maxAttempts, bounds } = options;
      const reservation = worker.reserve(task.tenant, task.persona);
      let submitted: Submitted | undefined;
      try {
        const submit = toSubmit(task, clock.now(), maxAttempts);
        if (reservation !== null) {
          submit.offer = reservation.offer;
          const foreseen = task.waits === true ? worker.foresee({ ...task, id: submit.id }) : undefined;
          if (foreseen !== undefined) submit.foreseen = foreseen;
        }
        if (bounds !== undefined) submit.bounds = bounds;
        if (task.push !== undefined) submit.push = task.push;
        submitted = await ledger.forTenant(task.tenant).submit(submit);
        return submitted;
      } finally {
        reservation?.settle(submitted?.claim);
      }
    },
    answer: ({ tenant, ...answer }) => ledger.forTenant(tenant).answer({ ...answer, now: clock.now() }),
    async cancel({ tenant, ...cancel }) {
      const canceled = await ledger.forTenant(tenant).cancel({ ...cancel, now: clock.now() });
      const elsewhere = canceled.runningIds.filter((id) => !worker.runs(id));
      await Promise.all([
        worker.whenStopped(canceled.canceledIds, STOP_MS),
        whenStoppedElsewhere(ledger, elsewhere, STOP_MS),
      ]);
      return canceled;
    },
    retryDead: ({ tenant, taskId }) => ledger.forTenant(tenant).retryDead({ taskId, newId: newId(), now: clock.now() }),
  };
}

/** Resolves when the nodes that ran the tasks have said that they stopped, or after `ms`. */
function whenStoppedElsewhere(ledger: TaskLedger, taskIds: readonly string[], ms: number): Promise<void> {
  const awaited = new Set(taskIds);
  if (awaited.size === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const leave = () => {
      unsubscribe();
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(leave, ms);
    const unsubscribe = ledger.onStopped(({ taskId }) => {
      awaited.delete(taskId);
      if (awaited.size === 0) leave();
    });
  });
}

function toSubmit(task: NewTask, now: number, maxAttempts: number): Submit & { id: string } {
  const contextId = task.contextId ?? newId();
  return {
    id: task.id ?? newId(),
    contextId,
    persona: task.persona,
    principal: task.principal,
    trigger: task.trigger,
    message: task.message,
    bodyHash: task.bodyHash,
    now,
    maxAttempts,
    lane: laneOf({ persona: task.persona, principal: task.principal, contextId }),
    newContext: task.contextId === undefined,
    hop: task.hop ?? 0,
    answeredByMessage: task.answeredByMessage === true,
  };
}
