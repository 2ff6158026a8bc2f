import { invalidArgument } from "../../../../shared/errors.js";

/** Names of resources, as the protocol buffers of 0.3 give them in place of ids. */

/** `tasks/{id}` */
export function taskOf(name: unknown, field: string): string {
  const id = /^tasks\/([^/]+)$/.exec(typeof name === "string" ? name : "")?.[1];
  if (id === undefined) throw invalidArgument(field, "must be tasks/ and the id of a task");
  return id;
}

/** `tasks/{id}/pushNotificationConfigs/{id}` */
export function pushConfigOf(name: unknown, field: string): { task: string; config: string } {
  const match = /^tasks\/([^/]+)\/pushNotificationConfigs\/([^/]+)$/.exec(typeof name === "string" ? name : "");
  const [, task, config] = match ?? [];
  if (task === undefined || config === undefined) {
    throw invalidArgument(field, "must be tasks/, the id of a task, /pushNotificationConfigs/ and the id of one");
  }
  return { task, config };
}

export const pushConfigName = (task: string, config: string): string =>
  `tasks/${task}/pushNotificationConfigs/${config}`;
