import { checkTenant, requireExecute } from "./call-checks.js";
import type { Operation } from "./operation.js";

/** Cancel Task (A2A 1.0, 3.1.5; 0.3, 7.4). */
export const cancel: Operation = async ({ caller, codec, params }, { core }) => {
  const { id, interfaceTenant } = codec.readTask(params);
  checkTenant(caller, interfaceTenant);
  requireExecute(caller);
  return { type: "json", text: codec.task(await core.cancelTask(caller, id)) };
};
