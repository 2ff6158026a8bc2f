import { readList, writeList } from "../../protocol/v1/lists.js";
import { checkTenant } from "./call-checks.js";
import type { Operation } from "./operation.js";

/** List Tasks (A2A 1.0, 3.1.4); 0.3 has no such operation. */
export const list: Operation = async ({ caller, params }, { core }) => {
  const request = readList(params);
  checkTenant(caller, request.interfaceTenant);
  return { type: "json", text: writeList(await core.listTasks(caller, request), request) };
};
