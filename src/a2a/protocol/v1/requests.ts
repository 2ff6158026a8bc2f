import * as check from "../check.js";
import { LIMITS } from "../limits.js";
import { refusePush } from "../refuse-push.js";
import type { SendRequest, TaskRequest } from "../requests.js";
import { readMessage } from "./messages.js";

type Params = Record<string, unknown>;

/** `SendMessageRequest` (A2A 1.0, 3.2.1 and 3.2.2): blocking unless the client wants its answer at once. */
export function readSend(params: Params): SendRequest {
  const { message, contextId, taskId } = readMessage(params.message);
  const request: SendRequest = { message, blocking: true };
  if (contextId !== undefined) request.contextId = contextId;
  if (taskId !== undefined) request.taskId = taskId;
  const configuration = check.optionalObject(params.configuration, "configuration");
  if (configuration !== undefined) {
    check.optionalLabels(configuration.acceptedOutputModes, "configuration.acceptedOutputModes", {
      items: LIMITS.outputModes,
      length: LIMITS.labelLength,
    });
    const historyLength = check.optionalCount(configuration.historyLength, "configuration.historyLength");
    if (historyLength !== undefined) request.historyLength = historyLength;
    if (check.optionalBoolean(configuration.returnImmediately, "configuration.returnImmediately")) {
      request.blocking = false;
    }
    refusePush(configuration.taskPushNotificationConfig);
  }
  const metadata = check.optionalStruct(params.metadata, "metadata");
  if (metadata !== undefined) request.metadata = metadata;
  const interfaceTenant = check.optionalLabel(params.tenant, "tenant");
  if (interfaceTenant !== undefined) request.interfaceTenant = interfaceTenant;
  return request;
}

/** `GetTaskRequest`, `CancelTaskRequest` and `SubscribeToTaskRequest`. */
export function readTask(params: Params): TaskRequest {
  const request: TaskRequest = { id: check.id(params.id, "id") };
  const historyLength = check.optionalCount(params.historyLength, "historyLength");
  if (historyLength !== undefined) request.historyLength = historyLength;
  const interfaceTenant = check.optionalLabel(params.tenant, "tenant");
  if (interfaceTenant !== undefined) request.interfaceTenant = interfaceTenant;
  check.optionalStruct(params.metadata, "metadata");
  return request;
}
