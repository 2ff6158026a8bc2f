import type { Lease } from "../tasks/ledger.js";
import type { Message } from "../tasks/message.js";
import type { DisclosedFile, Dispatch, DispatchResult, Receipt } from "./dispatch.js";

/** The port of what passes between us and peers. Every method of a writer is one atomic command, with its receipt. */
export interface PeerStore {
  dispatch(tenant: string, taskId: string): Promise<Dispatch | null>;
  /** In the order of their numbers. */
  receipts(tenant: string, taskId: string): Promise<Receipt[]>;
  /** Those that hold a slot, of one peer or of all. */
  holding(peer?: string): Promise<Dispatch[]>;
  /** When each peer was last heard of, ms. */
  lastContacts(): Promise<ReadonlyMap<string, number>>;

  /**
   * Commits that this message is about to be sent, and takes the invocation for it. From here on it counts as sent.
   *
   * @returns false when this turn has been intended before, or nothing may be sent any more: whoever asks must not send
   * @throws NuncioError lease_lost when the attempt does not own its task any more; limit_reached ALLOWANCE_USED_UP
   */
  intend(command: IntendSend): Promise<boolean>;
  /**
   * What came of the send. What comes after a send was settled changes nothing and is a receipt, and so are ids of the
   * peer that contradict those that are known.
   */
  settleSend(command: SettleSend): Promise<Dispatch>;
  /** Adds a fact, and a receipt that says so. What has been noted of an end stays as it is. */
  note(command: NoteFact): Promise<Noted>;
  /**
   * Gives the operator's answer to the task, whose next attempt sends it.
   *
   * @throws NuncioError conflict DISPATCH_REVISION_STALE; failed_precondition when the peer asks for nothing;
   *   limit_reached ALLOWANCE_USED_UP
   */
  answer(command: AnswerPeer): Promise<Dispatch>;
}

export interface IntendSend {
  /** Of the attempt that is about to send: one that lost its task, such as to a cancel, sends nothing. */
  lease: Lease;
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
  outcome: /** `answer` is set where the peer answers with a message and makes no task of it: then that was all. */
    | {
        type: "accepted";
        remoteTaskId: string | null;
        remoteContextId: string | null;
        answer: DispatchResult | null;
      }
    | { type: "refused" | "unknown"; error: string };
  now: number;
}

export interface NoteFact {
  tenant: string;
  taskId: string;
  fact: NewFact;
  now: number;
}

export type NewFact =
  /** What the peer's saved task showed; `result` is kept when it has `ended`. */
  | { type: "remote"; state: string; ended: boolean; result: DispatchResult | null }
  | { type: "local_ended" }
  /** Once; `again` asks another time where no answer has come. */
  | { type: "cancel_asked"; again: boolean }
  | { type: "cancel_answered"; answer: string }
  | { type: "stream_opened" }
  | { type: "stream_closed"; end: string }
  | { type: "deadline_passed" }
  | { type: "contact_failed"; error: string }
  | { type: "slot_released"; why: string };

export interface Noted {
  dispatch: Dispatch;
  /** False when it was known already, or contradicts what is. */
  noted: boolean;
}

export interface AnswerPeer {
  tenant: string;
  taskId: string;
  /** Of the dispatch, as it was looked at. */
  revision: number;
  message: Message;
  principal: string;
  bodyHash: string;
  now: number;
}

/** Stands where the state of a remote task does: the peer answered with a message, and there is no task. */
export const ANSWERED = "ANSWERED_BY_MESSAGE";
