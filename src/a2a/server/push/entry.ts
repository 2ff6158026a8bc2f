import type { PushKey } from "../../../tasks/push-ledger.js";
import type { Narration } from "./narration.js";

/** What a sender remembers of a subscription that waits. */
export interface Entry extends PushKey {
  readonly principal: string;
  readonly origin: string;
  /** Failures since it last worked, as far as is known here. */
  attempts: number;
  /** Where it stands; null until it has been read, and when it may have been moved. */
  position: Position | null;
  state: "idle" | "ready" | "running" | "resting";
  /** When a resting one is tried again, ms. */
  dueAt: number;
  /** Something happened while it was running. */
  again: boolean;
}

export interface Position {
  /** Whose task it is. */
  persona: string;
  /** As it is in the ledger. */
  sentSeq: number;
  /** Which may have read beyond, where there was nothing to tell. */
  narration: Narration;
}

export const newEntry = ({ tenant, taskId, id }: PushKey, principal: string, origin: string): Entry => ({
  ...{ tenant, taskId, id, principal, origin },
  ...{ attempts: 0, position: null, state: "idle", dueAt: 0, again: false },
});
