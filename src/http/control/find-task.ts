import { notFound } from "../../shared/errors.js";
import type { TaskLedger, TenantLedger } from "../../tasks/ledger.js";
import type { Task } from "../../tasks/task.js";

export interface FoundTask {
  task: Task;
  tenant: string;
  /** The ledger as the task's tenant sees it. */
  ledger: TenantLedger;
}

/** The operator names only an id; everything after this is bound to the tenant of that task. */
export async function findTask(ledger: TaskLedger, id: string): Promise<FoundTask> {
  const tenant = await ledger.system.tenantOf(id);
  const bound = tenant === null ? null : ledger.forTenant(tenant);
  const task = (await bound?.task(id)) ?? null;
  if (tenant === null || bound === null || task === null) {
    throw notFound("task", id, "ids are whole, as `nuncio task list` prints them");
  }
  return { task, tenant, ledger: bound };
}
