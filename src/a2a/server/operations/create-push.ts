import { findTask } from "../find-task.js";
import { checkTenant, requireExecute, throwReason } from "./call-checks.js";
import type { Operation } from "./operation.js";
import { requirePush } from "./push-offered.js";

/** Create Push Notification Config (A2A 1.0, 3.1.7; 0.3, 7.5). One of the same id is replaced. */
export const createPush: Operation = async ({ caller, codec, params, closed }, { ledger, pushes, clock }) => {
  requirePush(caller);
  const { taskId, push: wish, interfaceTenant } = codec.readCreatePush(params);
  checkTenant(caller, interfaceTenant);
  requireExecute(caller);
  const { tenant } = await findTask(ledger, caller, taskId, "task:push");
  // Where it leads is looked at, and how long that takes is up to whoever answers for the name.
  const gone = closed();
  const push = await pushes.accept({ tenant, taskId }, wish);
  throwReason(gone);
  const command = { taskId, push, atMost: pushes.maxPerTask, now: clock.now() };
  return { type: "json", text: codec.push(pushes.show(await ledger.forTenant(tenant).push.set(command))) };
};
