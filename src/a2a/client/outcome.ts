import { wasRefused } from "./errors.js";
import type { RemoteAnswer } from "./remote-task.js";

/**
 * What is known after a message was sent. Nobody sends it again because of `unknown`: the agent may be working on it.
 * With the same `messageId` that is safe where the agent promises it (A2A 1.0, 3.3.1), which is the caller's to know.
 */
export type Outcome<T> =
  | { outcome: "accepted"; value: T }
  /** Certainly not taken up. */
  | { outcome: "refused"; error: unknown }
  | { outcome: "unknown"; error: unknown };

export type SendOutcome = Outcome<RemoteAnswer>;

export async function outcomeOf<T>(work: Promise<T>): Promise<Outcome<T>> {
  try {
    return { outcome: "accepted", value: await work };
  } catch (error) {
    return { outcome: wasRefused(error) ? "refused" : "unknown", error };
  }
}
