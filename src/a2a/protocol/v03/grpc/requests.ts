import { invalidArgument } from "../../../../shared/errors.js";
import type { JsonObject } from "../../../../shared/json.js";
import { pushConfigOf, taskOf } from "./names.js";
import { readMessage } from "./parts.js";

/** Requests, from what the protocol buffers of 0.3 say to the params of the same operation in JSON (0.3, 7). */

export function readSend({ message, ...rest }: JsonObject): JsonObject {
  const read = readMessage(message);
  return read === undefined ? rest : { ...rest, message: read };
}

export const readTask = ({ name, ...rest }: JsonObject): JsonObject => ({ ...rest, id: taskOf(name, "name") });

export function readCreatePush({ parent, configId, config }: JsonObject): JsonObject {
  const taskId = taskOf(parent, "parent");
  // The name of what is created is not read (google.aip.dev/133): clients make it up before there is an id.
  const given = ((config ?? {}) as JsonObject).pushNotificationConfig as JsonObject | undefined;
  if (given === undefined) throw invalidArgument("config.pushNotificationConfig", "is required");
  const id = given.id ?? configId;
  if (configId !== undefined && id !== configId) {
    throw invalidArgument("configId", "must be the id of the configuration, or be left out");
  }
  return { taskId, pushNotificationConfig: id === undefined ? given : { ...given, id } };
}

export function readPush({ name }: JsonObject): JsonObject {
  const { task, config } = pushConfigOf(name, "name");
  return { id: task, pushNotificationConfigId: config };
}

export const readListPush = ({ parent }: JsonObject): JsonObject => ({ id: taskOf(parent, "parent") });
