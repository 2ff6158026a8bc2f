import { invalidArgument } from "../../../shared/errors.js";
import type { Params } from "../../protocol/read-request.js";
import type { OperationName } from "../operations/operation.js";
import type { Given } from "./dialect.js";

/** The parameters of an operation of 1.0, from where a2a.proto says that they are: the path, and the query or the body. */
export function paramsV1(operation: OperationName, { resource, tenant, query, body }: Given): Params {
  const { taskId, configId } = resource;
  const path: Params = {};
  if (tenant !== undefined) path.tenant = tenant;
  if (taskId !== undefined) path[NAMED_BY_TASK_ID.has(operation) ? "taskId" : "id"] = taskId;
  if (configId !== undefined) path.id = configId;
  const given = { ...query, ...body };
  for (const [name, value] of Object.entries(path)) {
    const other = given[name];
    if (other === undefined || other === null || other === "" || other === value) continue;
    throw invalidArgument(name, "must be what the path says, or be left out");
  }
  return { ...given, ...path };
}

const NAMED_BY_TASK_ID: ReadonlySet<OperationName> = new Set(["createPush", "getPush", "listPush", "deletePush"]);
