import { LIMITS } from "../../protocol/limits.js";
import { readList, writeList } from "../../protocol/v1/lists.js";
import { checkTenant } from "./call-checks.js";
import type { Operation } from "./operation.js";

/** List Tasks (A2A 1.0, 3.1.4). 0.3 (7.4, over REST alone) has no pages, and gets the latest tasks. */
export const list: Operation = async ({ caller, version, codec, params }, { core }) => {
  if (version === "0.3") {
    const { tasks } = await core.listTasks(caller, { pageSize: LIMITS.pageSize, includeArtifacts: true });
    return { type: "json", text: `[${tasks.map((task) => codec.task(task)).join(",")}]` };
  }
  const request = readList(params);
  checkTenant(caller, request.interfaceTenant);
  return { type: "json", text: writeList(await core.listTasks(caller, request), request) };
};
