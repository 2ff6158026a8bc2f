import { describe, expect, it } from "vitest";
import { agentIdOf, agentNamed, agentOf, spiffeIdOf } from "./our-spiffe-id.js";

describe("the ids of our agents", () => {
  it.each([
    [{ tenant: "default", name: "desk" }, "spiffe://example.com/agents/desk", "desk"],
    [{ tenant: "acme", name: "desk.2" }, "spiffe://example.com/tenants/acme/agents/desk.2", "acme/desk.2"],
    [{ tenant: "agents", name: "agents" }, "spiffe://example.com/tenants/agents/agents/agents", "agents/agents"],
  ])("E6 %j is %s, and back", (agent, spiffeId, agentId) => {
    expect(spiffeIdOf("example.com", agent)).toBe(spiffeId);
    expect(agentOf("example.com", spiffeId)).toEqual(agent);
    expect(agentIdOf(agent)).toBe(agentId);
    expect(agentNamed(agentId)).toEqual(agent);
  });

  it.each([
    "spiffe://other.com/agents/desk",
    "spiffe://example.com.evil/agents/desk",
    "spiffe://example.com/tenants/default/agents/desk",
    "spiffe://example.com/tenants/acme/agents/desk/",
    "spiffe://example.com/agents/desk/more",
    "spiffe://example.com/agents",
    "spiffe://example.com/agents/",
    "spiffe://example.com/Agents/desk",
    "spiffe://example.com/agents/a%2Fb",
    "spiffe://example.com/agents/..",
    "spiffe://example.com:443/agents/desk",
    "SPIFFE://example.com/agents/desk",
    " spiffe://example.com/agents/desk",
    "",
  ])("E6 %j is no agent of ours", (spiffeId) => {
    expect(agentOf("example.com", spiffeId)).toBeNull();
  });

  it.each(["", "/", "a/", "/a", "a/b/c", "default/a"])("%j names no agent", (agentId) => {
    expect(agentNamed(agentId)).toBeNull();
  });
});
