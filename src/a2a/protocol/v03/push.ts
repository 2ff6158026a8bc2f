import { invalidArgument } from "../../../shared/errors.js";
import * as check from "../check.js";
import { readPushWish, readScheme } from "../read-push.js";
import type { Params } from "../read-request.js";
import type { CreatePushRequest, ListPushRequest, PushConfig, PushRequest, PushWish } from "../requests.js";

const MOST_SCHEMES = 8;

/** `PushNotificationConfig` (A2A 0.3, 6.8). Of several schemes that the receiver knows we take the first. */
export const readPush = (given: Record<string, unknown>, field: string): PushWish =>
  readPushWish("0.3", given, field, ({ schemes }, at) => readSchemes(schemes, `${at}.schemes`));

function readSchemes(value: unknown, field: string): string[] {
  if (!Array.isArray(value)) throw invalidArgument(field, "must be a list of strings");
  if (value.length > MOST_SCHEMES) throw invalidArgument(field, `must not have more than ${MOST_SCHEMES} items`);
  return value.map((scheme, at) => readScheme(scheme, `${field}[${at}]`));
}

/** `TaskPushNotificationConfig` (7.5). */
export function readCreatePush(params: Params): CreatePushRequest {
  const given = check.object(params.pushNotificationConfig, "pushNotificationConfig");
  return { taskId: check.id(params.taskId, "taskId"), push: readPush(given, "pushNotificationConfig.") };
}

/**
 * `GetTaskPushNotificationConfigParams` and `DeleteTaskPushNotificationConfigParams` (7.6.1, 7.8.1). One that was set
 * without an id goes by that of its task.
 */
export function readPushKey(params: Params): PushRequest {
  const taskId = check.id(params.id, "id");
  check.optionalStruct(params.metadata, "metadata");
  return { taskId, id: check.optionalId(params.pushNotificationConfigId, "pushNotificationConfigId") ?? taskId };
}

/** `ListTaskPushNotificationConfigParams` (7.7.1). */
export function readListPush(params: Params): ListPushRequest {
  check.optionalStruct(params.metadata, "metadata");
  return { taskId: check.id(params.id, "id") };
}

export const writePush = ({ taskId, id, url, token, schemes, credentials }: PushConfig): object => ({
  taskId,
  pushNotificationConfig: {
    id,
    url,
    ...(token === undefined ? {} : { token }),
    ...(schemes.length === 0 ? {} : { authentication: { schemes, ...(credentials && { credentials }) } }),
  },
});

export const writePushes = (pushes: readonly PushConfig[]): object => pushes.map(writePush);
