import { parseAgentPattern } from "../../access/policy/agent-pattern.js";
import { parseUrlPattern } from "../../access/policy/url-pattern.js";
import { list, name, object, text, wholeNumber } from "../fields.js";

const target = text("a URL, * at its end for any rest of the path", 2048).refine(
  (url) => parseUrlPattern(url) !== null,
  {
    error:
      "is no URL of agents; use http:// or https:// with a whole host, and * only at the end, such as https://agents.example.com/*",
  },
);

const agent = text("a SPIFFE id, * at its end for any rest", 2048).refine((id) => parseAgentPattern(id) !== null, {
  error:
    "is no SPIFFE id of agents; use spiffe:// with a whole trust domain, and * only at the end, such as spiffe://example.com/*",
});

/** What a persona may do with, and take from, other agents. Any mode but `enforce` denies everything. */
export const policy = object({
  mode: text("enforce, or another word that denies everything", 64),
  tools: list(name()).default([]),
  a2aTargets: list(target).default([]),
  egressHosts: list(text("a host name", 253)).default([]),
  a2aInbound: object({
    agents: list(agent).default([]),
    maxA2AInboundPerMinute: wholeNumber(1, 1_000_000).optional(),
  }).optional(),
});
