import { NuncioError } from "../../shared/errors.js";
import type { ProtocolVersion } from "../protocol/version.js";

/** What a method asks for, under whatever name the version gives it (A2A 1.0, 5.3; 0.3, 3.5.6). */
export type Operation = "send" | "stream" | "get" | "cancel" | "subscribe" | "list" | "push" | "extendedCard";

const METHODS_V1: Record<string, Operation> = {
  SendMessage: "send",
  SendStreamingMessage: "stream",
  GetTask: "get",
  CancelTask: "cancel",
  SubscribeToTask: "subscribe",
  ListTasks: "list",
  CreateTaskPushNotificationConfig: "push",
  GetTaskPushNotificationConfig: "push",
  ListTaskPushNotificationConfigs: "push",
  DeleteTaskPushNotificationConfig: "push",
  GetExtendedAgentCard: "extendedCard",
};

const METHODS_V03: Record<string, Operation> = {
  "message/send": "send",
  "message/stream": "stream",
  "tasks/get": "get",
  "tasks/cancel": "cancel",
  "tasks/resubscribe": "subscribe",
  "tasks/pushNotificationConfig/set": "push",
  "tasks/pushNotificationConfig/get": "push",
  "tasks/pushNotificationConfig/list": "push",
  "tasks/pushNotificationConfig/delete": "push",
  "agent/getAuthenticatedExtendedCard": "extendedCard",
};

const METHODS: Record<ProtocolVersion, ReadonlyMap<string, Operation>> = {
  "1.0": new Map(Object.entries(METHODS_V1)),
  "0.3": new Map(Object.entries(METHODS_V03)),
};

/** The operation behind a method; one that only the other version knows is told where it is. */
export function operationOf(method: string, version: ProtocolVersion): Operation {
  const operation = METHODS[version].get(method);
  if (operation !== undefined) return operation;
  const other: ProtocolVersion = version === "1.0" ? "0.3" : "1.0";
  const shown = JSON.stringify(method.slice(0, 64));
  throw new NuncioError("unsupported", `method ${shown} does not exist in A2A ${version}`, {
    reason: "METHOD_NOT_FOUND",
    ...(METHODS[other].has(method) ? { hint: `it does in ${other}: send the header A2A-Version: ${other}` } : {}),
  });
}
