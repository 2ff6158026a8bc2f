import { describe, expect, it } from "vitest";
import type { AgentPolicy } from "./agent-policy.js";
import { type CallDenial, denialOf, mayCallSomebody } from "./call-policy.js";

const RESEARCH = "https://agents.example.com/research";
const policy = (changes: Partial<AgentPolicy> = {}): AgentPolicy => ({
  mode: "enforce",
  tools: ["a2a_call"],
  a2aTargets: ["https://agents.example.com/*"],
  egressHosts: ["agents.example.com"],
  ...changes,
});

type Row = [
  why: string,
  policy: AgentPolicy | undefined,
  url: string,
  denial: CallDenial | null,
  development?: boolean,
];

describe("whom a persona may call", () => {
  it.each<Row>([
    ["the policy of the documentation", policy(), RESEARCH, null],
    ["any path, with a query", policy(), `${RESEARCH}/a/b?c=d`, null],
    ["the host in other letters, as it is parsed", policy(), "https://AGENTS.example.com/x", null],
    ["the default port, spelled out", policy(), "https://agents.example.com:443/x", null],
    ["no policy", undefined, RESEARCH, "mode"],
    ["audit", policy({ mode: "audit" }), RESEARCH, "mode"],
    ["Enforce", policy({ mode: "Enforce" }), RESEARCH, "mode"],
    ["no tool", policy({ tools: [] }), RESEARCH, "tool"],
    ["another tool", policy({ tools: ["net_http"] }), RESEARCH, "tool"],
    ["no wildcard among tools", policy({ tools: ["*"] }), RESEARCH, "tool"],
    ["no target", policy({ a2aTargets: [] }), RESEARCH, "target"],
    ["another path", policy({ a2aTargets: ["https://agents.example.com/other/*"] }), RESEARCH, "target"],
    ["another host", policy(), "https://evil.example/research", "target"],
    ["a longer host", policy(), "https://agents.example.com.evil.example/research", "target"],
    ["a user that looks like the host", policy(), "https://agents.example.com@evil.example/", "target"],
    ["another port", policy(), "https://agents.example.com:8443/research", "target"],
    ["a way out of the path", policy({ a2aTargets: [`${RESEARCH}/*`] }), `${RESEARCH}/../x`, "target"],
    ["an escaped way out", policy({ a2aTargets: [`${RESEARCH}/*`] }), `${RESEARCH}/..%2fx`, "target"],
    ["no URL", policy(), "agents.example.com", "scheme"],
    ["a file", policy(), "file:///etc/passwd", "scheme"],
    ["nothing", policy(), "", "scheme"],
    ["no egress", policy({ egressHosts: [] }), RESEARCH, "host"],
    ["a host above", policy({ egressHosts: ["example.com"] }), RESEARCH, "host"],
    ["a host below", policy({ egressHosts: ["a.agents.example.com"] }), RESEARCH, "host"],
    ["no wildcard among hosts", policy({ egressHosts: ["*", "*.example.com"] }), RESEARCH, "host"],
    ["a host in other letters", policy({ egressHosts: ["Agents.Example.com"] }), RESEARCH, null],
    ["a host with its port", policy({ egressHosts: ["agents.example.com:443"] }), RESEARCH, null],
    ["a host with another port", policy({ egressHosts: ["agents.example.com:8443"] }), RESEARCH, "host"],
    ["a URL for a host", policy({ egressHosts: ["https://agents.example.com"] }), RESEARCH, "host"],
    ["http", policy({ a2aTargets: ["http://agents.example.com/*"] }), "http://agents.example.com/x", "scheme"],
    [
      "http in development",
      policy({ a2aTargets: ["http://agents.example.com/*"] }),
      "http://agents.example.com/x",
      null,
      true,
    ],
    ["http in development, where https is named", policy(), "http://agents.example.com/x", "target", true],
    ["https in development", policy(), RESEARCH, null, true],
  ])("E16 %s", (_why, given, url, denial, development = false) => {
    expect(denialOf(given, url, development)).toBe(denial);
  });

  it.each<[why: string, policy: AgentPolicy | undefined, offered: boolean, development?: boolean]>([
    ["a policy that names an https:// target", policy(), true],
    ["no policy", undefined, false],
    ["another mode", policy({ mode: "observe" }), false],
    ["a policy that does not name the tool", policy({ tools: [] }), false],
    ["a policy without targets", policy({ a2aTargets: [] }), false],
    ["a policy without hosts", policy({ egressHosts: [] }), false],
    ["a policy of http:// targets", policy({ a2aTargets: ["http://agents.example.com/*"] }), false],
    ["the same in development", policy({ a2aTargets: ["http://agents.example.com/*"] }), true, true],
  ])("E16 the tool is offered or not: %s", (_why, given, offered, development = false) => {
    expect(mayCallSomebody(given, development)).toBe(offered);
  });
});
