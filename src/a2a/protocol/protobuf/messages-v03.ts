import { enumeration, many, message, oneof } from "./table.js";

/**
 * The messages of A2A 0.3 (specification/grpc/a2a.proto, package a2a.v1). Where a field says the same as one of the JSON of
 * 0.3 under another name (`content` for `parts`, `update` for `message`, enumerations), it has the name of the JSON here;
 * what differs in more than the name is for `v03/grpc/`.
 *
 * `Part.metadata` and `FilePart.name` came after 0.3.0, without another number of the version. Whoever does not know them
 * passes over them.
 */

const TASK_STATES = enumeration(
  "submitted",
  "working",
  "completed",
  "failed",
  "canceled",
  "input-required",
  "rejected",
  "auth-required",
);
const ROLES = enumeration("user", "agent");

const part = message("Part", {
  ...oneof({
    text: [1, "string"],
    file: [
      2,
      message("FilePart", {
        ...oneof({ uri: [1, "string"], bytes: [2, "bytes"] }),
        mimeType: [3, "string"],
        name: [4, "string"],
      }),
    ],
    data: [3, message("DataPart", { data: [1, "struct"] })],
  }),
  metadata: [4, "struct"],
});

const messageV03 = message("Message", {
  messageId: [1, "string"],
  contextId: [2, "string"],
  taskId: [3, "string"],
  role: [4, ROLES],
  parts: [5, many(part)],
  metadata: [6, "struct"],
  extensions: [7, many("string")],
});

const artifact = message("Artifact", {
  artifactId: [1, "string"],
  name: [3, "string"],
  description: [4, "string"],
  parts: [5, many(part)],
  metadata: [6, "struct"],
  extensions: [7, many("string")],
});

const taskStatus = message("TaskStatus", {
  state: [1, TASK_STATES],
  message: [2, messageV03],
  timestamp: [3, "timestamp"],
});

export const task = message("Task", {
  id: [1, "string"],
  contextId: [2, "string"],
  status: [3, taskStatus],
  artifacts: [4, many(artifact)],
  history: [5, many(messageV03)],
  metadata: [6, "struct"],
});

const statusUpdate = message("TaskStatusUpdateEvent", {
  taskId: [1, "string"],
  contextId: [2, "string"],
  status: [3, taskStatus],
  final: [4, "bool"],
  metadata: [5, "struct"],
});

const artifactUpdate = message("TaskArtifactUpdateEvent", {
  taskId: [1, "string"],
  contextId: [2, "string"],
  artifact: [3, artifact],
  append: [4, "bool"],
  lastChunk: [5, "bool"],
  metadata: [6, "struct"],
});

export const sendMessageResponse = message("SendMessageResponse", oneof({ task: [1, task], message: [2, messageV03] }));

export const streamResponse = message(
  "StreamResponse",
  oneof({
    task: [1, task],
    message: [2, messageV03],
    "status-update": [3, statusUpdate],
    "artifact-update": [4, artifactUpdate],
  }),
);

const pushConfig = message("PushNotificationConfig", {
  id: [1, "string"],
  url: [2, "string"],
  token: [3, "string"],
  authentication: [4, message("AuthenticationInfo", { schemes: [1, many("string")], credentials: [2, "string"] })],
});

export const taskPushConfig = message("TaskPushNotificationConfig", {
  name: [1, "string"],
  pushNotificationConfig: [2, pushConfig],
});

export const pushConfigList = message("ListTaskPushNotificationConfigResponse", {
  configs: [1, many(taskPushConfig)],
  nextPageToken: [2, "string"],
});

export const empty = message("Empty", {});

export const sendMessageRequest = message("SendMessageRequest", {
  message: [1, messageV03],
  configuration: [
    2,
    message("SendMessageConfiguration", {
      acceptedOutputModes: [1, many("string")],
      pushNotificationConfig: [2, pushConfig],
      // 0 is "without a limit" here, and therefore the same as nothing.
      historyLength: [3, "int32"],
      blocking: [4, "bool"],
    }),
  ],
  metadata: [3, "struct"],
});

export const getTaskRequest = message("GetTaskRequest", { name: [1, "string"], historyLength: [2, "int32"] });

/** Every other request that gives but the name of what it is about. */
export const nameRequest = message("Request", { name: [1, "string"] });

export const createPushConfigRequest = message("CreateTaskPushNotificationConfigRequest", {
  parent: [1, "string"],
  configId: [2, "string"],
  config: [3, taskPushConfig],
});

export const listPushConfigsRequest = message("ListTaskPushNotificationConfigRequest", {
  parent: [1, "string"],
  pageSize: [2, "int32"],
  pageToken: [3, "string"],
});
