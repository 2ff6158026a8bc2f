import type { Page, TaskKey } from "./ledger.js";
import type { Walk, Walked } from "./retention-ledger.js";

/*
 * Push subscriptions: a caller wants to be told of a task at a URL. There is no outbox beside the ledger: what a
 * subscription is owed are the events of its task behind `sentSeq`, which are numbered, durable and in order anyway.
 */

export interface PushKey extends TaskKey {
  /** Unique in its task; given by the caller, or made for it. */
  id: string;
}

/** What is sealed of a subscription is sealed for it alone: in the row of another one it cannot be opened. */
export const pushSealPurpose = ({ tenant, taskId, id }: PushKey): string => ["push", tenant, taskId, id].join(" ");

/** What the caller wants, as it is stored: what is secret of it is sealed by whoever hands it in. */
export interface NewPush {
  id: string;
  /** Protocol version in which the caller wants to be told. */
  version: "1.0" | "0.3";
  /** Scheme, host and port of the URL. */
  origin: string;
  /** The URL, and what proves to the receiver who we are: sealed. */
  sealed: string;
}

/** `waiting` for events to tell of, or for its next attempt; `disabled` until somebody enables it; `done` for good. */
export const PUSH_STATES = ["waiting", "disabled", "done"] as const;
export type PushState = (typeof PUSH_STATES)[number];

export interface PushSubscription extends NewPush, PushKey {
  /** Subject of the principal that it belongs to: the one of the task. */
  principal: string;
  state: PushState;
  createdAt: number;
  /** Number of the last event that the receiver has been told of, or need not be told of. */
  sentSeq: number;
  /** Failures since it last worked. */
  attempts: number;
  /** Not to be tried before, ms. */
  nextAt: number;
  /** Why the last attempt failed; null when it did not. */
  lastError: string | null;
  /** HTTP status of the last answer; null when there was none. */
  lastStatus: number | null;
  /** When it was last tried, ms. */
  lastAt: number | null;
}

export interface SetPush {
  taskId: string;
  push: NewPush;
  /** Refused with `limit_reached` when the task would have more. */
  atMost: number;
  now: number;
}

/** The subscriptions of one tenant. */
export interface PushLedger {
  /**
   * Makes one, or replaces what the one of this id wants, and enables it. It tells of what happens from now on; where it
   * replaces another one, of what that one still had to tell. Of a task that has ended it tells the end.
   */
  set(command: SetPush): Promise<PushSubscription>;
  get(taskId: string, id: string): Promise<PushSubscription | null>;
  /** In the order of their ids. */
  list(taskId: string): Promise<PushSubscription[]>;
  /** False when there was none. */
  remove(command: { taskId: string; id: string }): Promise<boolean>;
}

/** Proof that a sender may tell one receiver: nobody else does meanwhile. */
export interface PushLease extends PushKey {
  owner: string;
  fence: number;
}

/** A subscription that is waiting. */
export interface LivePush extends PushKey {
  principal: string;
  origin: string;
  sentSeq: number;
  nextAt: number;
  /** Somebody tells it of something, until then, ms. */
  leasedUntil: number | null;
  /** The task has events behind `sentSeq`. */
  behind: boolean;
}

export interface ClaimPush extends PushKey {
  owner: string;
  leaseMs: number;
  /** Only when it still stands there. */
  sentSeq: number;
  now: number;
  /** No backoff is longer: a later time was set by a clock that has been set back since. */
  longestBackoffMs: number;
}

export interface PushDelivered {
  lease: PushLease;
  /** The receiver has been told of everything up to here. */
  seq: number;
  /** Null when there was nothing to tell. */
  status: number | null;
  /** Nothing follows for now: the lease ends. It is extended otherwise. */
  release: boolean;
  leaseMs: number;
  now: number;
}

export interface PushFailed {
  lease: PushLease;
  error: string;
  status: number | null;
  retryAt: number;
  /** Give it up, until somebody enables it again. */
  disable: boolean;
  now: number;
}

export interface PushQuery {
  state?: PushState;
  /** The last attempt failed. */
  failing?: boolean;
  tenant?: string;
  limit: number;
  cursor?: string;
}

/** Names one subscription, or all of a task. */
export interface PushChoice {
  tenant: string;
  taskId: string;
  id?: string;
}

/** For the senders and the operator: sees all tenants. */
export interface PushQueue {
  /** Those that wait, in the order of tenant, task and id. */
  live(query: Omit<Walk<PushKey>, "before">): Promise<Walked<LivePush, PushKey>>;
  find(key: PushKey): Promise<PushSubscription | null>;
  /** Null when it is not waiting, is not due, stands elsewhere, or belongs to another sender for now. */
  claim(command: ClaimPush): Promise<PushLease | null>;
  /** `lost` when it is no longer this sender's; `done` when the task has ended and this was the last event of it. */
  delivered(command: PushDelivered): Promise<"held" | "done" | "lost">;
  /** False when it is no longer this sender's. */
  failed(command: PushFailed): Promise<boolean>;
  /** Gives a lease back without having tried. */
  release(lease: PushLease): Promise<void>;

  /** Newest tasks first. */
  list(query: PushQuery): Promise<Page<PushSubscription>>;
  /** Enables what was disabled, and makes it due at once. What is done stays so, and is not among them. */
  retry(command: PushChoice & { now: number }): Promise<PushSubscription[]>;
  disable(command: PushChoice & { now: number; reason: string }): Promise<PushSubscription[]>;
}
