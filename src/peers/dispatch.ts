import type { Part } from "../tasks/message.js";

/** What is known of what was sent; after `unknown` it is never sent again. */
export const DISPATCH_STATES = ["prepared", "sending", "accepted", "refused", "unknown"] as const;
export type DispatchState = (typeof DISPATCH_STATES)[number];

/**
 * Work that a peer was given. A remote end, our own end, the answer to a cancel, a closed stream and a local deadline are
 * five facts: none follows from another.
 */
export interface Dispatch {
  tenant: string;
  taskId: string;
  /** Names this one dispatch where somebody decides about it. */
  runId: string;
  peer: string;
  planId: string;
  assignmentId: string;
  /** Rises with every change. */
  revision: number;
  pinDigest: string;
  state: DispatchState;
  remoteTaskId: string | null;
  remoteContextId: string | null;
  /** What the peer said last. */
  remote: { state: string; at: number } | null;
  facts: DispatchFacts;
  holdsSlot: boolean;
  /** As it stood in the task that the peer showed when it had ended: unverified analysis. */
  result: DispatchResult | null;
  lastContactAt: number | null;
  lastError: string | null;
  createdAt: number;
  updatedAt: number;
  sends: readonly DispatchSend[];
}

export interface DispatchFacts {
  /** The peer showed its task in a terminal state. */
  remoteTerminal: { state: string; at: number } | null;
  /** We do nothing for it any more. */
  localCleanup: { at: number } | null;
  /** What the peer answered when it was asked to cancel; `answer` is null while it has not. */
  cancelAcknowledgement: { askedAt: number; answer: string | null; answeredAt: number | null } | null;
  /** A stream was open, and how it ended; `closedAt` is null while it is. */
  streamClosed: { openedAt: number; closedAt: number | null; end: string | null } | null;
  /** Until when we wait, and when that had passed. */
  localDeadline: { at: number; passedAt: number | null } | null;
}

export interface DispatchSend {
  /** The turn of our task whose message it is. */
  turn: number;
  messageId: string;
  /** SHA-256 of the canonical message. */
  bodyDigest: string;
  disclosed: readonly DisclosedFile[];
  state: Exclude<DispatchState, "prepared">;
  error: string | null;
  intendedAt: number;
  settledAt: number | null;
}

export interface DisclosedFile {
  path: string;
  digest: string;
  bytes: number;
}

export interface DispatchResult {
  /** Bound to their content: some peers renumber artifacts when they show them. */
  artifacts: readonly ResultArtifact[];
  message: string | null;
  /** What else the peer showed and we did not take: files behind URLs, files in it, and what is too large. */
  leftOut: readonly string[];
}

export interface ResultArtifact {
  name: string | null;
  /** `sha256:…` of the canonical form (RFC 8785) of its parts: it says the same, whatever number it is shown with. */
  digest: string;
  /** Of that form. */
  bytes: number;
  /** Text and data. */
  parts: readonly Part[];
}

/** Something that passed between us and the peer: ids, digests, counts and times, never a secret. */
export interface Receipt {
  /** From 1, without gaps within its task. */
  number: number;
  at: number;
  kind: string;
  facts: Record<string, unknown>;
}
