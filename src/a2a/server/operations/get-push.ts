import { NuncioError } from "../../../shared/errors.js";
import { findTask } from "../find-task.js";
import { checkTenant, requireExecute } from "./call-checks.js";
import type { Operation } from "./operation.js";
import { requirePush } from "./push-offered.js";

/** Get Push Notification Config (A2A 1.0, 3.1.8; 0.3, 7.6): with its secrets, for whom the task belongs to. */
export const getPush: Operation = async ({ caller, codec, params }, { ledger, pushes }) => {
  requirePush(caller);
  const { taskId, id, interfaceTenant } = codec.readPushKey(params);
  checkTenant(caller, interfaceTenant);
  requireExecute(caller);
  const { tenant } = await findTask(ledger, caller, taskId, "task:push");
  const push = await ledger.forTenant(tenant).push.get(taskId, id);
  if (push === null) throw noSuchPush(taskId);
  return { type: "json", text: codec.push(pushes.show(push)) };
};

/** 1.0 has no other error for this. */
const noSuchPush = (taskId: string): NuncioError =>
  new NuncioError("not_found", "the task has no push notification configuration of this id", {
    reason: "TASK_NOT_FOUND",
    details: { taskId },
  });
