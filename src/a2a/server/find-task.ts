import { decide, type TaskAction } from "../../access/decide.js";
import type { TaskLedger } from "../../tasks/ledger.js";
import type { Task, TaskSnapshot } from "../../tasks/task.js";
import type { Caller } from "./caller.js";
import { taskNotFound } from "./refusals.js";

/** The task as it stands now, or as it stood at event `atSeq`; "not found" unless it is this agent's and the caller may. */
export async function findSnapshot(
  ledger: TaskLedger,
  caller: Caller,
  taskId: string,
  action: TaskAction,
  atSeq?: number,
): Promise<TaskSnapshot> {
  return checked(await ledger.forTenant(caller.persona.tenant).snapshot(taskId, atSeq), caller, taskId, action);
}

/** The same without what was said and made. */
export async function findTask(ledger: TaskLedger, caller: Caller, taskId: string, action: TaskAction): Promise<Task> {
  return checked(await ledger.forTenant(caller.persona.tenant).task(taskId), caller, taskId, action);
}

function checked<T extends Task>(
  task: T | null,
  { principal, persona }: Caller,
  taskId: string,
  action: TaskAction,
): T {
  if (task === null || task.persona !== persona.name) throw taskNotFound(taskId);
  const decision = decide(principal, action, { type: "task", tenant: task.tenant, principal: task.principal });
  if (!decision.allowed) throw taskNotFound(taskId);
  return task;
}
