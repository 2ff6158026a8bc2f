import * as check from "../check.js";
import { type Params, readTask as readCommon, readSend as readSpelled, type SendSpelling } from "../read-request.js";
import type { SendRequest, TaskRequest } from "../requests.js";
import { readMessage } from "./messages.js";
import { readPush } from "./push.js";

const SPELLING: SendSpelling = {
  readMessage,
  flag: "returnImmediately",
  flagBlocks: false,
  push: "taskPushNotificationConfig",
  readPush,
};

/** `SendMessageRequest` (A2A 1.0, 3.2.1 and 3.2.2): blocking unless the client wants its answer at once. */
export const readSend = (params: Params): SendRequest => withTenant(params, readSpelled(params, SPELLING));

/** `GetTaskRequest`, `CancelTaskRequest` and `SubscribeToTaskRequest`. */
export const readTask = (params: Params): TaskRequest => withTenant(params, readCommon(params));

function withTenant<Request extends { interfaceTenant?: string }>(params: Params, request: Request): Request {
  const interfaceTenant = check.optionalLabel(params.tenant, "tenant");
  if (interfaceTenant !== undefined) request.interfaceTenant = interfaceTenant;
  return request;
}
