import { describe, expect, it } from "vitest";
import { matchesAgent, parseAgentPattern } from "./agent-pattern.js";

const matches = (pattern: string, id: string): boolean => {
  const parsed = parseAgentPattern(pattern);
  if (parsed === null) throw new Error(`${pattern} is no pattern`);
  return matchesAgent(parsed, id);
};

describe("agents that may call", () => {
  it.each([
    ["spiffe://example.com/*", "spiffe://example.com/agents/desk"],
    ["spiffe://example.com/agents/*", "spiffe://example.com/agents/desk"],
    ["spiffe://example.com/agents/*", "spiffe://example.com/agents/acme/desk"],
    ["spiffe://example.com/agents/team-*", "spiffe://example.com/agents/team-a"],
    ["spiffe://example.com/agents/desk", "spiffe://example.com/agents/desk"],
  ])("E7 %s means %s", (pattern, id) => {
    expect(matches(pattern, id)).toBe(true);
  });

  it.each([
    ["spiffe://example.com/*", "spiffe://example.com.evil/agents/desk"],
    ["spiffe://example.com/*", "spiffe://evil.example.com/agents/desk"],
    ["spiffe://example.com/*", "spiffe://evil/example.com/agents/desk"],
    ["spiffe://example.com/*", "spiffe://EXAMPLE.com/agents/desk"],
    ["spiffe://example.com/*", "spiffe://example.com:443/agents/desk"],
    ["spiffe://example.com/*", "spiffe://user@example.com/agents/desk"],
    ["spiffe://example.com/*", "spiffe://example.com"],
    ["spiffe://example.com/*", "spiffe://example.com/"],
    ["spiffe://example.com/*", "https://example.com/agents/desk"],
    ["spiffe://example.com/*", "SPIFFE://example.com/agents/desk"],
    ["spiffe://example.com/*", "spiffe://example.com/agents/desk?x"],
    ["spiffe://example.com/*", "spiffe://example.com/agents/desk#x"],
    ["spiffe://example.com/*", "spiffe://example.com/agents//desk"],
    ["spiffe://example.com/*", "spiffe://example.com/agents/../desk"],
    ["spiffe://example.com/*", "spiffe://example.com/agents/%2e%2e/desk"],
    ["spiffe://example.com/*", "spiffe://example.com/agents/desk/"],
    ["spiffe://example.com/*", "spiffe://example.com/agents/desk\n"],
    ["spiffe://example.com/*", ""],
    ["spiffe://example.com/agents/*", "spiffe://example.com/agents"],
    ["spiffe://example.com/agents/*", "spiffe://example.com/agents-of-others/desk"],
    ["spiffe://example.com/agents/*", "spiffe://example.com/Agents/desk"],
    ["spiffe://example.com/agents/desk", "spiffe://example.com/agents/desk2"],
    ["spiffe://example.com/agents/desk", "spiffe://example.com/agents/desk/sub"],
  ])("E7 %s does not mean %j", (pattern, id) => {
    expect(matches(pattern, id)).toBe(false);
  });

  it.each([
    "*",
    "spiffe://*",
    "spiffe://*/agents/desk",
    "spiffe://example.com*",
    "spiffe://*.example.com/*",
    "spiffe://example.com/*/desk",
    "spiffe://example.com/agents/**",
    "spiffe://example.com//*",
    "spiffe://example.com/../*",
    "spiffe://Example.com/*",
    "https://example.com/*",
    "example.com/*",
    "",
  ])("E7 %j is no pattern", (text) => {
    expect(parseAgentPattern(text)).toBeNull();
  });
});
