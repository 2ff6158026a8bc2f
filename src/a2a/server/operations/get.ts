import { checkTenant } from "./call-checks.js";
import type { Operation } from "./operation.js";

/** Get Task (A2A 1.0, 3.1.3; 0.3, 7.3). */
export const get: Operation = async ({ caller, codec, params }, { core }) => {
  const { id, historyLength, interfaceTenant } = codec.readTask(params);
  checkTenant(caller, interfaceTenant);
  return { type: "json", text: codec.task(await core.getTask(caller, id), historyLength) };
};
