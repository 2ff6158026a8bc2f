import { z } from "zod";
import { timestamp } from "./fields.js";

/** One thing in which a peer is not what was pinned; `before` and `after` are JSON, cut. */
const difference = z.object({
  what: z.enum(["card", "card_keys", "addresses", "credential"]),
  /** Within the card. */
  path: z.string().nullable(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});

export const peer = z.object({
  name: z.string(),
  /** `unreachable` is tried again whenever somebody wants to speak to it; `stopped` stays until it is pinned anew. */
  state: z.enum(["ok", "stopped", "unreachable"]),
  /** Since when it is not ok. */
  since: timestamp.nullable(),
  /** Why it is unreachable. */
  error: z.string().nullable(),
  /** Why it is stopped; `leftOut` is how many differences there are besides. */
  drift: z.object({ differences: z.array(difference), leftOut: z.number() }).nullable(),
  endpoint: z.string(),
  cardUrl: z.string(),
  addresses: z.array(z.string()),
  local: z.boolean(),
  skill: z.string(),
  tenant: z.string().nullable(),
  files: z.array(z.string()),
  supports: z.object({ cancel: z.boolean(), streaming: z.boolean() }),
  /** What the operator has stated; it proves nothing. */
  retention: z.enum(["volatile", "durable", "unknown"]),
  /** Dispatches that may still be at work take one each. */
  slots: z.object({ used: z.number(), total: z.number() }),
  pinDigest: z.string(),
  cardDigest: z.string(),
  credentialDigest: z.string(),
  pinnedAt: z.string(),
  /** When it was last heard of; null when it has not been. */
  lastContactAt: timestamp.nullable(),
});

export type PeerJson = z.output<typeof peer>;
