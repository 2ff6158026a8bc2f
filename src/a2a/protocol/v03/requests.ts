import * as check from "../check.js";
import { LIMITS } from "../limits.js";
import { refusePush } from "../refuse-push.js";
import type { SendRequest, TaskRequest } from "../requests.js";
import { readMessage } from "./messages.js";

type Params = Record<string, unknown>;

/** `MessageSendParams` (A2A 0.3, 7.1.1): answered at once unless the client wants to wait. */
export function readSend(params: Params): SendRequest {
  const { message, contextId, taskId } = readMessage(params.message);
  const request: SendRequest = { message, blocking: false };
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
    if (check.optionalBoolean(configuration.blocking, "configuration.blocking")) request.blocking = true;
    refusePush(configuration.pushNotificationConfig);
  }
  const metadata = check.optionalStruct(params.metadata, "metadata");
  if (metadata !== undefined) request.metadata = metadata;
  return request;
}

/** `TaskQueryParams` and `TaskIdParams` (A2A 0.3, 7.3.1 and 7.4.1). */
export function readTask(params: Params): TaskRequest {
  const request: TaskRequest = { id: check.id(params.id, "id") };
  const historyLength = check.optionalCount(params.historyLength, "historyLength");
  if (historyLength !== undefined) request.historyLength = historyLength;
  check.optionalStruct(params.metadata, "metadata");
  return request;
}
