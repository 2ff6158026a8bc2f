import { NuncioError } from "../../shared/errors.js";

/** A client that asks to be notified must not be left to wait for what never comes. */
export function refusePush(configuration: unknown): void {
  if (configuration !== undefined && configuration !== null) throw pushNotSupported();
}

export const pushNotSupported = (): NuncioError =>
  new NuncioError("unsupported", "push notifications are not supported", {
    reason: "PUSH_NOTIFICATION_NOT_SUPPORTED",
    hint: "poll the task, or subscribe to it",
  });
