import { parseAgentPattern } from "../../access/policy/agent-pattern.js";
import { parseSpiffeId } from "../../access/policy/spiffe-id.js";
import { parseUrlPattern } from "../../access/policy/url-pattern.js";
import { list, name, object, text, wholeNumber } from "../fields.js";

export const target = text("a URL, * at its end for any rest of the path", 2048).refine(
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

export const agentAudience = text("the SPIFFE id of an agent", 2048).refine(
  (id) => (parseSpiffeId(id)?.path ?? "") !== "",
  {
    error: "is no SPIFFE id of an agent; use one such as spiffe://example.com/agents/desk",
  },
);

/** As URLs write it, in whatever letters; with a port it means that one alone. */
const host = text("a host name", 260).refine(
  (given) =>
    /^[^/?#@*\\\s]+$/.test(given) && URL.canParse(`https://${given}`) && new URL(`https://${given}`).pathname === "/",
  { error: "is no host name; use one such as agents.example.com, without https://, path and *" },
);

/** What a persona may do with, and take from, other agents. Any mode but `enforce` denies everything. */
export const policy = object({
  mode: text("enforce, or another word that denies everything", 64),
  tools: list(name()).default([]),
  a2aTargets: list(target).default([]),
  egressHosts: list(host).default([]),
  a2aInbound: object({
    agents: list(agent).default([]),
    maxA2AInboundPerMinute: wholeNumber(1, 1_000_000).optional(),
  }).optional(),
});
