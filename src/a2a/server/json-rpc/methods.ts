import { NuncioError } from "../../../shared/errors.js";
import { PROTOCOL_VERSIONS, type ProtocolVersion } from "../../protocol/version.js";
import type { OperationName } from "../operations/operation.js";

/** What a method asks for, under whatever name the version gives it (A2A 1.0, 5.3; 0.3, 3.5.6). */
const METHODS_V1: Record<string, OperationName> = {
  SendMessage: "send",
  SendStreamingMessage: "stream",
  GetTask: "get",
  CancelTask: "cancel",
  SubscribeToTask: "subscribe",
  ListTasks: "list",
  CreateTaskPushNotificationConfig: "createPush",
  GetTaskPushNotificationConfig: "getPush",
  ListTaskPushNotificationConfigs: "listPush",
  DeleteTaskPushNotificationConfig: "deletePush",
  GetExtendedAgentCard: "extendedCard",
};

const METHODS_V03: Record<string, OperationName> = {
  "message/send": "send",
  "message/stream": "stream",
  "tasks/get": "get",
  "tasks/cancel": "cancel",
  "tasks/resubscribe": "subscribe",
  "tasks/pushNotificationConfig/set": "createPush",
  "tasks/pushNotificationConfig/get": "getPush",
  "tasks/pushNotificationConfig/list": "listPush",
  "tasks/pushNotificationConfig/delete": "deletePush",
  "agent/getAuthenticatedExtendedCard": "extendedCard",
};

const METHODS: Record<ProtocolVersion, ReadonlyMap<string, OperationName>> = {
  "1.0": new Map(Object.entries(METHODS_V1)),
  "0.3": new Map(Object.entries(METHODS_V03)),
};

/**
 * The operation behind a method; one that only the other version knows is told where it is.
 * @param served which versions this endpoint speaks: nobody is sent to one that would be refused
 */
export function operationOf(
  method: string,
  version: ProtocolVersion,
  served: readonly ProtocolVersion[] = PROTOCOL_VERSIONS,
): OperationName {
  const operation = METHODS[version].get(method);
  if (operation !== undefined) return operation;
  const other: ProtocolVersion = version === "1.0" ? "0.3" : "1.0";
  const shown = JSON.stringify(method.slice(0, 64));
  throw new NuncioError("unsupported", `method ${shown} does not exist in A2A ${version}`, {
    reason: "METHOD_NOT_FOUND",
    ...(served.includes(other) && METHODS[other].has(method)
      ? { hint: `it does in ${other}: send the header A2A-Version: ${other}` }
      : {}),
  });
}
