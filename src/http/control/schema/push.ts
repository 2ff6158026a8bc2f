import { z } from "zod";
import { PUSH_STATES } from "../../../tasks/push-ledger.js";
import { timestamp } from "./fields.js";

export const pushState = z.enum(PUSH_STATES);

export const push = z.object({
  taskId: z.string(),
  id: z.string(),
  tenant: z.string(),
  principal: z.string(),
  version: z.enum(["1.0", "0.3"]),
  /** Without what may be secret of it. */
  url: z.string(),
  state: pushState,
  /** Failures since it last worked. */
  attempts: z.int(),
  lastStatus: z.int().nullable(),
  lastError: z.string().nullable(),
  lastAt: timestamp.nullable(),
  /** When it is tried again; null unless an attempt has failed. */
  nextAt: timestamp.nullable(),
  /** Number of the last event that it has been told of. */
  sentSeq: z.int(),
  createdAt: timestamp,
});

export type PushJson = z.output<typeof push>;
