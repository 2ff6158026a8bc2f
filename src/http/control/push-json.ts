import type { PushDesk } from "../../a2a/server/push/push-desk.js";
import { NuncioError, notFound } from "../../shared/errors.js";
import type { TaskLedger } from "../../tasks/ledger.js";
import type { PushSubscription } from "../../tasks/push-ledger.js";
import { findTask } from "./find-task.js";
import { toOptionalTimestamp, toTimestamp } from "./schema/fields.js";
import type { PushJson } from "./schema/push.js";

export const pushOf = (push: PushSubscription, desk: PushDesk): PushJson => ({
  taskId: push.taskId,
  id: push.id,
  tenant: push.tenant,
  principal: push.principal,
  version: push.version,
  url: desk.place(push),
  state: push.state,
  attempts: push.attempts,
  lastStatus: push.lastStatus,
  lastError: push.lastError,
  lastAt: toOptionalTimestamp(push.lastAt),
  nextAt: push.state === "waiting" && push.attempts > 0 ? toTimestamp(push.nextAt) : null,
  sentSeq: push.sentSeq,
  createdAt: toTimestamp(push.createdAt),
});

/** What the operator decides of one subscription of a task, or of all; says why when there is none to decide on. */
export async function decideOn(
  ledger: TaskLedger,
  { id: taskId, pushId }: { id: string; pushId?: string | undefined },
  decide: (choice: { tenant: string; taskId: string; id?: string }) => Promise<PushSubscription[]>,
): Promise<PushSubscription[]> {
  const { tenant, ledger: own } = await findTask(ledger, taskId);
  const decided = await decide({ tenant, taskId, ...(pushId === undefined ? {} : { id: pushId }) });
  if (decided.length > 0) return decided;
  const there = (await own.push.list(taskId)).filter(({ id }) => pushId === undefined || id === pushId);
  if (there.length === 0) {
    throw notFound("push notification", pushId ?? taskId, "`nuncio push list` shows those that there are");
  }
  throw new NuncioError("failed_precondition", "everything has been told: there is nothing left to do", {
    hint: "`nuncio push list` shows what became of it",
  });
}
