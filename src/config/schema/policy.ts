import { list, name, object, text, wholeNumber } from "../fields.js";

/** What a persona may do with, and take from, agents of others. Any mode but `enforce` denies everything. */
export const policy = object({
  mode: text("enforce, or another word that denies everything", 64),
  tools: list(name()).default([]),
  a2aTargets: list(text("a URL, * at its end for any rest of the path", 2048)).default([]),
  egressHosts: list(text("a host name", 253)).default([]),
  a2aInbound: object({
    agents: list(text("a SPIFFE id, * at its end for any rest", 2048)).default([]),
    maxA2AInboundPerMinute: wholeNumber(1, 1_000_000).optional(),
  }).optional(),
});
