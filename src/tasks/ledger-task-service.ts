import type { Clock } from "../shared/clock.js";
import { newId } from "../shared/ids.js";
import type { Submit, Submitted, TaskLedger } from "./ledger.js";
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
}

export function ledgerTaskService({ ledger, worker, clock, maxAttempts }: TaskServiceOptions): TaskService {
  return {
    async submit(task) {
      const reservation = worker.reserve(task.tenant, task.persona);
      let submitted: Submitted | undefined;
      try {
        const submit = toSubmit(task, clock.now(), maxAttempts);
        if (reservation !== null) submit.offer = reservation.offer;
        submitted = await ledger.forTenant(task.tenant).submit(submit);
        return submitted;
      } finally {
        reservation?.settle(submitted?.claim);
      }
    },
    answer: ({ tenant, ...answer }) => ledger.forTenant(tenant).answer({ ...answer, now: clock.now() }),
    async cancel({ tenant, taskId, reason }) {
      const canceled = await ledger.forTenant(tenant).cancel({ taskId, reason, now: clock.now() });
      await worker.whenStopped(canceled.canceledIds, STOP_MS);
      return canceled;
    },
    retryDead: ({ tenant, taskId }) => ledger.forTenant(tenant).retryDead({ taskId, newId: newId(), now: clock.now() }),
  };
}

function toSubmit(task: NewTask, now: number, maxAttempts: number): Submit {
  const contextId = task.contextId ?? newId();
  return {
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
  };
}
