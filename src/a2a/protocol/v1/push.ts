import * as check from "../check.js";
import { readPushWish, readScheme } from "../read-push.js";
import type { Params } from "../read-request.js";
import type { CreatePushRequest, ListPushRequest, PushConfig, PushRequest, PushWish } from "../requests.js";

/** `TaskPushNotificationConfig` (A2A 1.0, 4.3.1), as it comes with a message or by itself. */
export const readPush = (given: Record<string, unknown>, field: string): PushWish =>
  readPushWish("1.0", given, field, ({ scheme }, at) => [readScheme(scheme, `${at}.scheme`)]);

/** `CreateTaskPushNotificationConfig` (3.1.7): the task is named in the configuration itself. */
export const readCreatePush = (params: Params): CreatePushRequest => ({
  taskId: check.id(params.taskId, "taskId"),
  push: readPush(params, ""),
  ...tenantOf(params),
});

/** `GetTaskPushNotificationConfigRequest` and the one to delete (3.1.8, 3.1.10). */
export const readPushKey = (params: Params): PushRequest => ({
  taskId: check.id(params.taskId, "taskId"),
  id: check.id(params.id, "id"),
  ...tenantOf(params),
});

/** `ListTaskPushNotificationConfigsRequest` (3.1.9). */
export function readListPush(params: Params): ListPushRequest {
  const pageSize = check.optionalCount(params.pageSize, "pageSize");
  const pageToken = check.optionalLabel(params.pageToken, "pageToken", 1024);
  return {
    taskId: check.id(params.taskId, "taskId"),
    ...(pageSize ? { pageSize } : {}),
    ...(pageToken === undefined ? {} : { pageToken }),
    ...tenantOf(params),
  };
}

function tenantOf(params: Params): { interfaceTenant?: string } {
  const interfaceTenant = check.optionalLabel(params.tenant, "tenant");
  return interfaceTenant === undefined ? {} : { interfaceTenant };
}

export const writePush = ({ taskId, id, url, token, schemes, credentials }: PushConfig): object => ({
  taskId,
  id,
  url,
  ...(token === undefined ? {} : { token }),
  ...(schemes[0] === undefined ? {} : { authentication: { scheme: schemes[0], ...(credentials && { credentials }) } }),
});

export const writePushes = (pushes: readonly PushConfig[], nextPageToken: string | undefined): object => ({
  configs: pushes.map(writePush),
  ...(nextPageToken === undefined ? {} : { nextPageToken }),
});
