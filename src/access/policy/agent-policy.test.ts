import { describe, expect, it } from "vitest";
import { type AgentPolicy, admitsAgent, allowsTarget } from "./agent-policy.js";

const policy = (changes: Partial<AgentPolicy> = {}): AgentPolicy => ({
  mode: "enforce",
  tools: [],
  a2aTargets: ["https://agents.example.com/*", "https://partner.example/desk"],
  egressHosts: [],
  a2aInbound: { agents: ["spiffe://example.com/*", "spiffe://partner.example/desk"] },
  ...changes,
});

const TARGET = "https://partner.example/desk";
const CALLER = "spiffe://partner.example/desk";

describe("the policy of an agent", () => {
  it("E7 allows a target that one of its patterns means, and admits an agent in the same way", () => {
    expect(allowsTarget(policy(), TARGET)).toBe(true);
    expect(admitsAgent(policy(), CALLER)).toBe(true);
    expect(allowsTarget(policy(), "https://partner.example/other")).toBe(false);
    expect(admitsAgent(policy(), "spiffe://partner.example/other")).toBe(false);
  });

  it.each(["off", "audit", "Enforce", "enforce ", ""])("E7 the mode %j denies everything", (mode) => {
    expect(allowsTarget(policy({ mode }), TARGET)).toBe(false);
    expect(admitsAgent(policy({ mode }), CALLER)).toBe(false);
  });

  it("E7 no policy denies everything, and so do empty lists and a policy that takes no calls", () => {
    expect(allowsTarget(undefined, TARGET)).toBe(false);
    expect(admitsAgent(undefined, CALLER)).toBe(false);
    expect(allowsTarget(policy({ a2aTargets: [] }), TARGET)).toBe(false);
    expect(admitsAgent(policy({ a2aInbound: { agents: [] } }), CALLER)).toBe(false);
    expect(admitsAgent(policy({ a2aInbound: undefined }), CALLER)).toBe(false);
  });

  it("E7 what is no pattern means nothing, and keeps the others as they are", () => {
    const patched = policy({ a2aTargets: ["*", TARGET], a2aInbound: { agents: ["spiffe://*", CALLER] } });
    expect(allowsTarget(patched, TARGET)).toBe(true);
    expect(allowsTarget(patched, "https://elsewhere.example/")).toBe(false);
    expect(admitsAgent(patched, CALLER)).toBe(true);
    expect(admitsAgent(patched, "spiffe://elsewhere.example/desk")).toBe(false);
  });
});
