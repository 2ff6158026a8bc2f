import type { OutboundLimits } from "../../outbound/limits.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MIB = 1024 * 1024;

/** A card. */
export const CARD_LIMITS: Partial<OutboundLimits> = { headersMs: 15_000, totalMs: 20_000, maxBytes: MIB / 2 };

/** A call that the agent should answer at once. */
export const CALL_LIMITS: Partial<OutboundLimits> = {
  headersMs: MINUTE_MS,
  totalMs: 2 * MINUTE_MS,
  maxBytes: 16 * MIB,
};

/** A call that is answered when the work is done (A2A 1.0, 3.2.2). */
export const WAITING_LIMITS: Partial<OutboundLimits> = { headersMs: HOUR_MS, totalMs: HOUR_MS, maxBytes: 16 * MIB };

/** Not every agent says now and then that it is still there. */
export const STREAM_LIMITS: Partial<OutboundLimits> = {
  headersMs: MINUTE_MS,
  idleMs: 10 * MINUTE_MS,
  totalMs: 6 * HOUR_MS,
  maxBytes: 256 * MIB,
};

/** Characters of one event of a stream. */
export const MAX_EVENT_LENGTH = 16 * MIB;

/** What a task may have, as far as we keep it. */
export const MAX_ITEMS = 10_000;
