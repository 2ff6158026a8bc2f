import { findTask } from "../find-task.js";
import { checkTenant, requireExecute } from "./call-checks.js";
import type { Operation } from "./operation.js";
import { requirePush } from "./push-offered.js";

/** Delete Push Notification Config (A2A 1.0, 3.1.10; 0.3, 7.8). One that is not there is as good as deleted. */
export const deletePush: Operation = async ({ caller, codec, params }, { ledger }) => {
  requirePush(caller);
  const { taskId, id, interfaceTenant } = codec.readPushKey(params);
  checkTenant(caller, interfaceTenant);
  requireExecute(caller);
  const { tenant } = await findTask(ledger, caller, taskId, "task:push");
  await ledger.forTenant(tenant).push.remove({ taskId, id });
  return { type: "json", text: codec.pushDeleted };
};
