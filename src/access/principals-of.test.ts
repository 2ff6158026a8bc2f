import { describe, expect, it } from "vitest";
import type { AgentPolicy } from "./policy/agent-policy.js";
import { type Believed, principalsOf } from "./principals-of.js";

const POLICY: AgentPolicy = { mode: "enforce", tools: [], a2aTargets: [], egressHosts: [] };
const believed = (changes: Partial<Believed> = {}): Believed => ({
  anonymous: false,
  trustDomain: "example.com",
  trustBundles: { "partner.example": {} },
  oidc: [
    { issuer: "https://login.example.com", tenant: "acme" },
    { issuer: "https://login.example.com", tenant: "default" },
  ],
  hosted: { get: (tenant, name) => (tenant === "acme" && name === "scout" ? { policy: POLICY } : undefined) },
  ...changes,
});
const tenantsOf = (subject: string, changes: Partial<Believed> = {}) =>
  principalsOf(subject, believed(changes)).map(({ tenant }) => tenant);

describe("who may stand behind a subject", () => {
  it.each([
    ["user:app", ["default"]],
    ["user:acme/app", ["acme"]],
    ["oidc:https://login.example.com#ada", ["acme", "default"]],
    ["oidc:https://login.example.com#a#b", ["acme", "default"]],
    ["oidc:https://elsewhere.example.com#ada", []],
    ["oidc:https://login.example.com", []],
    ["agent:spiffe://example.com/tenants/acme/agents/scout", ["acme"]],
    ["agent:spiffe://example.com/agents/gone", []],
    ["agent:spiffe://partner.example/scout", ["spiffe://partner.example"]],
    ["agent:spiffe://stranger.example/scout", []],
    ["agent:nonsense", []],
    ["anonymous", []],
    ["peer:partner", []],
    ["operator", ["default"]],
    ["persona:desk", ["default"]],
  ])("R6 %s: %j", (subject, tenants) => {
    expect(tenantsOf(subject)).toEqual(tenants);
  });

  it("R6 follows what is configured, and shows the policy of an agent of ours as it is", () => {
    expect(tenantsOf("anonymous", { anonymous: true })).toEqual(["default"]);
    expect(tenantsOf("agent:spiffe://partner.example/scout", { trustBundles: {} })).toEqual([]);
    expect(tenantsOf("agent:spiffe://example.com/tenants/acme/agents/scout", { trustDomain: undefined })).toEqual([]);
    const [scout] = principalsOf("agent:spiffe://example.com/tenants/acme/agents/scout", believed());
    expect(scout?.agent).toEqual({
      spiffeId: "spiffe://example.com/tenants/acme/agents/scout",
      persona: { tenant: "acme", name: "scout" },
      policy: POLICY,
    });
  });
});
