import type { Message } from "../../tasks/message.js";
import { LIMITS } from "./limits.js";

/** The newest `length` messages (A2A 1.0, 3.2.4): none for 0, and up to our own bound when the client names no number. */
export function recentHistory(history: readonly Message[], length: number | undefined): readonly Message[] {
  const most = Math.min(length ?? LIMITS.history, LIMITS.history);
  if (most === 0) return [];
  return history.length <= most ? history : history.slice(-most);
}
