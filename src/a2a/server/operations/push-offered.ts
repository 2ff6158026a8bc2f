import { NuncioError } from "../../../shared/errors.js";
import type { PushWish } from "../../protocol/requests.js";
import type { Caller } from "../caller.js";

/** Of an agent that notifies nobody. */
export function requirePush({ persona }: Caller): void {
  if (persona.push) return;
  throw new NuncioError("unsupported", "push notifications are not supported", {
    reason: "PUSH_NOTIFICATION_NOT_SUPPORTED",
    hint: "poll the task, or subscribe to it",
  });
}

/** A client that asks to be notified must not be left to wait for what never comes. */
export function refuseUnofferedPush(caller: Caller, wish: PushWish | undefined): void {
  if (wish !== undefined) requirePush(caller);
}
