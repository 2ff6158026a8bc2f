import { z } from "zod";
import { DISPATCH_STATES } from "../../../peers/dispatch.js";
import { TASK_STATES } from "../../../tasks/task-state.js";
import { timestamp } from "./fields.js";

const disclosedFile = z.object({ path: z.string(), digest: z.string(), bytes: z.int() });

/** What cannot be seen from here is said to be so: it is not zero. */
const unobserved = z.literal("unobserved");

/** Work that a peer was given, and all that is known of it. */
export const dispatch = z.object({
  taskId: z.string(),
  tenant: z.string(),
  /** Of the task that stands for it here. */
  taskState: z.enum(TASK_STATES),
  runId: z.string(),
  revision: z.int(),
  peer: z.string(),
  plannedTaskId: z.string(),
  assignmentId: z.string(),
  pinDigest: z.string(),
  state: z.enum(DISPATCH_STATES),
  remoteTaskId: z.string().nullable(),
  remoteContextId: z.string().nullable(),
  /** What the peer said last. */
  remoteState: z.string().nullable(),
  remoteStateAt: timestamp.nullable(),
  holdsSlot: z.boolean(),
  /** Five facts, none of which follows from another; null for what has not been observed. */
  facts: z.object({
    remoteTerminal: z.object({ state: z.string(), at: timestamp }).nullable(),
    localCleanup: z.object({ at: timestamp }).nullable(),
    cancelAcknowledgement: z
      .object({ askedAt: timestamp, answer: z.string().nullable(), answeredAt: timestamp.nullable() })
      .nullable(),
    streamClosed: z
      .object({ openedAt: timestamp, closedAt: timestamp.nullable(), end: z.string().nullable() })
      .nullable(),
    localDeadline: z.object({ at: timestamp, passedAt: timestamp.nullable() }).nullable(),
  }),
  /** What the peer has used for it. */
  usage: z.object({ modelRequests: unobserved, tokens: unobserved, processes: unobserved }),
  /** Of the allowance: each message counts as one, whatever came of it. */
  invocations: z.int(),
  sends: z.array(
    z.object({
      turn: z.int(),
      messageId: z.string(),
      bodyDigest: z.string(),
      disclosed: z.array(disclosedFile),
      state: z.enum(DISPATCH_STATES),
      error: z.string().nullable(),
      intendedAt: timestamp,
      settledAt: timestamp.nullable(),
    }),
  ),
  /** Unverified analysis: its text is among the artifacts of the task. */
  result: z
    .object({
      verified: z.literal(false),
      artifacts: z.array(z.object({ name: z.string().nullable(), digest: z.string(), bytes: z.int() })),
      message: z.string().nullable(),
      leftOut: z.array(z.string()),
    })
    .nullable(),
  lastContactAt: timestamp.nullable(),
  lastError: z.string().nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

export const dispatchDetail = dispatch.extend({
  /** What passed between us and the peer, numbered from 1 without gaps. */
  receipts: z.array(
    z.object({ number: z.int(), at: timestamp, kind: z.string(), facts: z.record(z.string(), z.unknown()) }),
  ),
  why: z.string().nullable(),
});

export type DispatchJson = z.output<typeof dispatch>;
export type DispatchDetail = z.output<typeof dispatchDetail>;
