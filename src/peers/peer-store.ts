import type { Dispatch, DisclosedFile, DispatchResult, Receipt } from "./dispatch.js";

/** The port of what passes between us and peers. Every method of a writer is one atomic command, with its receipt. */
export interface PeerStore {
  dispatch(tenant: string, taskId: string): Promise<Dispatch | null>;
  receipts(tenant: string, taskId: string): Promise<Receipt[]>;
  /** Those that hold a slot, of one peer or of all; and how many. */
  holding(peer?: string): Promise<Dispatch[]>;
  /** When each peer was last heard of, ms. */
  lastContacts(): Promise<ReadonlyMap<string, number>>;

  /**
   * Commits that this message is about to be sent, and takes the invocation for it. From here on it counts as sent.
   *
   * @returns false when this turn has been intended before: whoever asks must not send
   */
  intend(command: IntendSend): Promise<boolean>;
  /** What came of the send. An `unknown` is the end of it, and so is what a late answer of ours says after it. */
  settleSend(command: SettleSend): Promise<Dispatch>;
  /** Adds facts, and a receipt that says so. What has been noted of an end stays as it is. */
  note(command: NoteFacts): Promise<Dispatch>;
}

export interface IntendSend {
  tenant: string;
  taskId: string;
  turn: number;
  messageId: string;
  bodyDigest: string;
  disclosed: readonly DisclosedFile[];
  now: number;
}

export interface SettleSend {
  tenant: string;
  taskId: string;
  turn: number;
  outcome:
    | { type: "accepted"; remoteTaskId: string | null; remoteContextId: string | null }
    | { type: "refused" | "unknown"; error: string };
  now: number;
}

export interface NoteFacts {
  tenant: string;
  taskId: string;
  fact:
    | { type: "remote"; state: string; result: DispatchResult | null }
    | { type: "local_ended" }
    | { type: "cancel_asked" }
    | { type: "cancel_answered"; answer: string }
    | { type: "stream_opened" }
    | { type: "stream_closed"; end: string }
    | { type: "deadline_passed" }
    | { type: "contact_failed"; error: string }
    | { type: "slot_released"; why: string };
  now: number;
}
