import { enumeration, many, message, oneof, optional } from "./table.js";

/** The messages of A2A 1.0 (specification/a2a.proto, package lf.a2a.v1), under their names in ProtoJSON. */

export const TASK_STATES = enumeration(
  "TASK_STATE_SUBMITTED",
  "TASK_STATE_WORKING",
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_REJECTED",
  "TASK_STATE_AUTH_REQUIRED",
);
const ROLES = enumeration("ROLE_USER", "ROLE_AGENT");

const part = message("Part", {
  ...oneof({ text: [1, "string"], raw: [2, "bytes"], url: [3, "string"], data: [4, "value"] }),
  metadata: [5, "struct"],
  filename: [6, "string"],
  mediaType: [7, "string"],
});

const messageV1 = message("Message", {
  messageId: [1, "string"],
  contextId: [2, "string"],
  taskId: [3, "string"],
  role: [4, ROLES],
  parts: [5, many(part)],
  metadata: [6, "struct"],
  extensions: [7, many("string")],
  referenceTaskIds: [8, many("string")],
});

const artifact = message("Artifact", {
  artifactId: [1, "string"],
  name: [2, "string"],
  description: [3, "string"],
  parts: [4, many(part)],
  metadata: [5, "struct"],
  extensions: [6, many("string")],
});

const taskStatus = message("TaskStatus", {
  state: [1, TASK_STATES],
  message: [2, messageV1],
  timestamp: [3, "timestamp"],
});

export const task = message("Task", {
  id: [1, "string"],
  contextId: [2, "string"],
  status: [3, taskStatus],
  artifacts: [4, many(artifact)],
  history: [5, many(messageV1)],
  metadata: [6, "struct"],
});

const statusUpdate = message("TaskStatusUpdateEvent", {
  taskId: [1, "string"],
  contextId: [2, "string"],
  status: [3, taskStatus],
  metadata: [4, "struct"],
});

const artifactUpdate = message("TaskArtifactUpdateEvent", {
  taskId: [1, "string"],
  contextId: [2, "string"],
  artifact: [3, artifact],
  append: [4, "bool"],
  lastChunk: [5, "bool"],
  metadata: [6, "struct"],
});

export const sendMessageResponse = message("SendMessageResponse", oneof({ task: [1, task], message: [2, messageV1] }));

export const streamResponse = message(
  "StreamResponse",
  oneof({
    task: [1, task],
    message: [2, messageV1],
    statusUpdate: [3, statusUpdate],
    artifactUpdate: [4, artifactUpdate],
  }),
);

export const pushConfig = message("TaskPushNotificationConfig", {
  tenant: [1, "string"],
  id: [2, "string"],
  taskId: [3, "string"],
  url: [4, "string"],
  token: [5, "string"],
  authentication: [6, message("AuthenticationInfo", { scheme: [1, "string"], credentials: [2, "string"] })],
});

export const pushConfigList = message("ListTaskPushNotificationConfigsResponse", {
  configs: [1, many(pushConfig)],
  nextPageToken: [2, "string"],
});

export const taskList = message("ListTasksResponse", {
  tasks: [1, many(task)],
  nextPageToken: [2, "string"],
  pageSize: [3, "int32"],
  totalSize: [4, "int32"],
});

export const empty = message("Empty", {});

export const sendMessageRequest = message("SendMessageRequest", {
  tenant: [1, "string"],
  message: [2, messageV1],
  configuration: [
    3,
    message("SendMessageConfiguration", {
      acceptedOutputModes: [1, many("string")],
      taskPushNotificationConfig: [2, pushConfig],
      historyLength: [3, optional("int32")],
      returnImmediately: [4, "bool"],
    }),
  ],
  metadata: [4, "struct"],
});

export const getTaskRequest = message("GetTaskRequest", {
  tenant: [1, "string"],
  id: [2, "string"],
  historyLength: [3, optional("int32")],
});

export const listTasksRequest = message("ListTasksRequest", {
  tenant: [1, "string"],
  contextId: [2, "string"],
  status: [3, TASK_STATES],
  pageSize: [4, optional("int32")],
  pageToken: [5, "string"],
  historyLength: [6, optional("int32")],
  statusTimestampAfter: [7, "timestamp"],
  includeArtifacts: [8, optional("bool")],
});

export const cancelTaskRequest = message("CancelTaskRequest", {
  tenant: [1, "string"],
  id: [2, "string"],
  metadata: [3, "struct"],
});

export const subscribeToTaskRequest = message("SubscribeToTaskRequest", { tenant: [1, "string"], id: [2, "string"] });

/** `GetTaskPushNotificationConfigRequest` and `DeleteTaskPushNotificationConfigRequest`. */
export const pushConfigRequest = message("TaskPushNotificationConfigRequest", {
  tenant: [1, "string"],
  taskId: [2, "string"],
  id: [3, "string"],
});

export const listPushConfigsRequest = message("ListTaskPushNotificationConfigsRequest", {
  taskId: [1, "string"],
  pageSize: [2, "int32"],
  pageToken: [3, "string"],
  tenant: [4, "string"],
});

export const extendedCardRequest = message("GetExtendedAgentCardRequest", { tenant: [1, "string"] });
