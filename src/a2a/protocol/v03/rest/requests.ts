import { invalidArgument } from "../../../../shared/errors.js";
import * as check from "../../check.js";
import type { Params } from "../../read-request.js";

/*
 * Bodies of 0.3 over REST come in two spellings: the official SDKs send the ProtoJSON of the protocol buffers (`ROLE_USER`,
 * `content`, parts told apart by the field that is set), and the specification shows the JSON of its types (`user`,
 * `parts`, `kind`). Both are brought into the latter, which the codec of 0.3 then checks: what has neither shape is
 * passed on as it is.
 */

export type Spelling = "proto" | "json";

const ROLES: Readonly<Record<string, string>> = { ROLE_USER: "user", ROLE_AGENT: "agent" };

/** The spelling of a request to send. Without a sign it is that of the SDKs. */
export function spellingOf({ message }: Params): Spelling {
  if (typeof message !== "object" || message === null) return "proto";
  return "kind" in message || "parts" in message ? "json" : "proto";
}

/** `SendMessageRequest` of the protocol buffers, as `MessageSendParams` (7.1.1). */
export function readSend(body: Params): Params {
  if (spellingOf(body) === "json") return body;
  const params: Params = { ...body };
  const message = check.optionalObject(body.message, "message");
  if (message !== undefined) params.message = readMessage(message);
  const configuration = check.optionalObject(body.configuration, "configuration");
  if (configuration !== undefined) {
    const { pushNotification, historyLength, ...rest } = configuration;
    params.configuration = {
      ...rest,
      ...(pushNotification === undefined ? {} : { pushNotificationConfig: pushNotification }),
      // There a number that is not set is 0, which asks for everything.
      ...(historyLength === undefined || historyLength === 0 ? {} : { historyLength }),
    };
  }
  return params;
}

function readMessage({ content, role, ...rest }: Params): Params {
  return {
    ...rest,
    kind: "message",
    role: typeof role === "string" ? (ROLES[role] ?? role) : role,
    parts: readParts(content),
  };
}

/** Checked here as far as the codec would name the fields of the other spelling. */
function readParts(content: unknown): Params[] {
  const field = "message.content";
  if (content === undefined || content === null) throw invalidArgument(field, "is required");
  if (!Array.isArray(content)) throw invalidArgument(field, "must be a list");
  if (content.length === 0) throw invalidArgument(field, "must have at least one part");
  return content.map((part, at) => readPart(part, `${field}[${at}]`));
}

function readPart(value: unknown, field: string): Params {
  const { text, file, data, ...rest } = check.object(value, field);
  const set = [text, file, data].filter((content) => content !== undefined && content !== null).length;
  if (set !== 1) throw invalidArgument(field, "must have exactly one of text, file and data");
  if (text !== undefined && text !== null) return { ...rest, kind: "text", text: check.text(text, `${field}.text`) };
  if (file !== undefined && file !== null) return { ...rest, kind: "file", file: readFile(file, `${field}.file`) };
  return { ...rest, kind: "data", data: check.object(check.object(data, `${field}.data`).data, `${field}.data.data`) };
}

function readFile(value: unknown, field: string): Params {
  const { fileWithBytes, fileWithUri, ...rest } = check.object(value, field);
  return {
    ...rest,
    ...(fileWithBytes === undefined ? {} : { bytes: fileWithBytes }),
    ...(fileWithUri === undefined ? {} : { uri: fileWithUri }),
  };
}

/** Bodies of requests that name a task: `{ name }` or `{ id }` must be that of the path. */
export function readTask({ name, id, ...rest }: Params, taskId: string): Params {
  checkName(name, `tasks/${taskId}`, "name");
  if (id !== undefined && id !== null && id !== "" && id !== taskId) throw otherTask("id");
  return { ...rest, id: taskId };
}

/**
 * `CreateTaskPushNotificationConfigRequest`, or the configuration by itself, which is what the JavaScript SDK sends; as
 * `TaskPushNotificationConfig` (7.5).
 */
export function readCreatePush(body: Params, taskId: string): Params {
  checkName(body.parent, `tasks/${taskId}`, "parent");
  const outer = check.optionalObject(body.config, "config");
  const field = outer === undefined ? "" : "config.";
  const given = outer ?? body;
  checkName(given.name, `tasks/${taskId}/`, `${field}name`);
  if (given.taskId !== undefined && given.taskId !== taskId) throw otherTask(`${field}taskId`);
  const config = check.object(given.pushNotificationConfig, `${field}pushNotificationConfig`);
  const id = check.optionalId(config.id, `${field}pushNotificationConfig.id`);
  const configId = check.optionalId(body.configId, "configId");
  if (id !== undefined && configId !== undefined && id !== configId) {
    throw invalidArgument("configId", "must be the id of the configuration, or be left out");
  }
  const known = id ?? configId;
  return { taskId, pushNotificationConfig: known === undefined ? config : { ...config, id: known } };
}

/** A resource name that says the task once more. */
function checkName(name: unknown, expected: string, field: string): void {
  if (name === undefined || name === null || name === "") return;
  const text = check.text(name, field);
  if (text !== expected && !(expected.endsWith("/") && text.startsWith(expected))) throw otherTask(field);
}

const otherTask = (field: string) => invalidArgument(field, "must be the task of the path, or be left out");
