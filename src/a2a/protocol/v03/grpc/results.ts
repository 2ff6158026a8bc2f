import type { JsonObject, JsonValue } from "../../../../shared/json.js";
import { pushConfigName } from "./names.js";
import { writeArtifact, writeMessage } from "./parts.js";

/** Results of operations, from the JSON of 0.3 to what its protocol buffers say. */

export function writeTask(task: JsonObject): JsonObject {
  return {
    ...task,
    status: writeStatus(task.status as JsonObject),
    ...(task.artifacts === undefined ? {} : { artifacts: (task.artifacts as JsonObject[]).map(writeArtifact) }),
    ...(task.history === undefined ? {} : { history: (task.history as JsonObject[]).map(writeMessage) }),
  };
}

function writeStatus(status: JsonObject): JsonObject {
  return status.message === undefined ? status : { ...status, message: writeMessage(status.message as JsonObject) };
}

/** What was sent, and every event of a stream: under its kind, of which one is set. */
export function writeByKind(result: JsonObject): JsonObject {
  switch (result.kind) {
    case "task":
      return { task: writeTask(result) };
    case "message":
      return { message: writeMessage(result) };
    case "status-update":
      return { "status-update": { ...result, status: writeStatus(result.status as JsonObject) } };
    case "artifact-update":
      return { "artifact-update": { ...result, artifact: writeArtifact(result.artifact as JsonObject) } };
    default:
      throw new Error(`${String(result.kind)} is no kind of result`);
  }
}

/** `TaskPushNotificationConfig`, which has a name in place of its ids. */
export function writePushConfig({ taskId, pushNotificationConfig }: JsonObject): JsonObject {
  const config = pushNotificationConfig as JsonObject;
  return { name: pushConfigName(String(taskId), String(config.id)), pushNotificationConfig: config };
}

export const writePushConfigs = (configs: JsonValue): JsonObject => ({
  configs: (configs as JsonObject[]).map(writePushConfig),
});
