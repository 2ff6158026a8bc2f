import type { JsonObject, JsonValue } from "../../../../shared/json.js";
import type { StateV03 } from "../../states.js";

/** Results of operations, from the JSON of 0.3 to the ProtoJSON of its protocol buffers: no field that those do not have. */

const ROLES: Readonly<Record<string, string>> = { user: "ROLE_USER", agent: "ROLE_AGENT" };

/** The protocol buffers write one of them in another way. */
const STATES: Readonly<Record<StateV03, string>> = {
  submitted: "TASK_STATE_SUBMITTED",
  working: "TASK_STATE_WORKING",
  completed: "TASK_STATE_COMPLETED",
  failed: "TASK_STATE_FAILED",
  canceled: "TASK_STATE_CANCELLED", // cspell:disable-line
  "input-required": "TASK_STATE_INPUT_REQUIRED",
  rejected: "TASK_STATE_REJECTED",
  "auth-required": "TASK_STATE_AUTH_REQUIRED",
};

export function writeTask({ id, contextId, status, artifacts, history, metadata }: JsonObject): JsonObject {
  return {
    id: id as string,
    contextId: contextId as string,
    status: writeStatus(status as JsonObject),
    ...(artifacts === undefined ? {} : { artifacts: (artifacts as JsonObject[]).map(writeArtifact) }),
    ...(history === undefined ? {} : { history: (history as JsonObject[]).map(writeMessage) }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

const writeStatus = ({ state, message, timestamp }: JsonObject): JsonObject => ({
  state: STATES[state as StateV03],
  ...(message === undefined ? {} : { message: writeMessage(message as JsonObject) }),
  timestamp: timestamp as string,
});

/** Which tasks it refers to is not in the protocol buffers. */
function writeMessage({ kind, referenceTaskIds, role, parts, ...rest }: JsonObject): JsonObject {
  return { ...rest, role: ROLES[String(role)] as string, content: (parts as JsonObject[]).map(writePart) };
}

function writePart({ kind, text, file, data, metadata }: JsonObject): JsonObject {
  const kept: JsonObject = metadata === undefined ? {} : { metadata };
  if (kind === "text") return { text: text as string, ...kept };
  if (kind === "data") return { data: { data: data as JsonObject }, ...kept };
  const { bytes, uri, ...rest } = file as JsonObject;
  return {
    file: { ...(bytes === undefined ? { fileWithUri: uri as string } : { fileWithBytes: bytes }), ...rest },
    ...kept,
  };
}

const writeArtifact = (artifact: JsonObject): JsonObject => ({
  ...artifact,
  parts: (artifact.parts as JsonObject[]).map(writePart),
});

/** What was sent, and every event of a stream, in the field that says what it is. */
export function writeByKind(result: JsonObject): JsonObject {
  const { kind, ...rest } = result;
  switch (kind) {
    case "task":
      return { task: writeTask(result) };
    case "message":
      return { message: writeMessage(result) };
    case "status-update":
      return { statusUpdate: { ...rest, status: writeStatus(rest.status as JsonObject) } };
    default:
      return { artifactUpdate: { ...rest, artifact: writeArtifact(rest.artifact as JsonObject) } };
  }
}

const FIELDS: Readonly<Record<string, string>> = {
  task: "task",
  message: "message",
  "status-update": "statusUpdate",
  "artifact-update": "artifactUpdate",
};

/** The same for those who write the JSON of the specification. */
export const wrapByKind = (result: JsonObject): JsonObject => ({ [FIELDS[String(result.kind)] as string]: result });

/** `TaskPushNotificationConfig`, which has a name in place of its ids. */
export function writePush({ taskId, pushNotificationConfig }: JsonObject): JsonObject {
  const config = pushNotificationConfig as JsonObject;
  return {
    name: `tasks/${String(taskId)}/pushNotificationConfigs/${String(config.id)}`,
    pushNotificationConfig: config,
  };
}

export const writePushes = (configs: JsonValue): JsonObject => ({ configs: (configs as JsonObject[]).map(writePush) });
