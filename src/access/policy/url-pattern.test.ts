import { describe, expect, it } from "vitest";
import { matchesUrl, parseUrlPattern } from "./url-pattern.js";

const matches = (pattern: string, url: string): boolean => {
  const parsed = parseUrlPattern(pattern);
  if (parsed === null) throw new Error(`${pattern} is no pattern`);
  return matchesUrl(parsed, url);
};

describe("URLs that an agent may call", () => {
  it.each([
    ["https://agents.example.com/*", "https://agents.example.com/"],
    ["https://agents.example.com/*", "https://agents.example.com"],
    ["https://agents.example.com/*", "https://agents.example.com/v1/agents/desk/a2a"],
    ["https://agents.example.com/*", "https://agents.example.com/a?tenant=1"],
    ["https://agents.example.com/team/*", "https://agents.example.com/team/"],
    ["https://agents.example.com/team*", "https://agents.example.com/team-a/desk"],
    ["https://agents.example.com/desk", "https://agents.example.com/desk"],
    ["https://agents.example.com", "https://agents.example.com/"],
    ["https://agents.example.com/*", "https://AGENTS.example.COM/desk"],
    ["https://AGENTS.example.com/*", "https://agents.example.com/desk"],
    ["HTTPS://agents.example.com/*", "https://agents.example.com/desk"],
    ["https://agents.example.com/*", "https://agents.example.com:443/desk"],
    ["https://agents.example.com:443/*", "https://agents.example.com/desk"],
    ["http://agents.example.com:80/*", "http://agents.example.com/desk"],
    ["https://agents.example.com:8443/*", "https://agents.example.com:8443/desk"],
    ["http://127.0.0.1:4700/*", "http://127.0.0.1:4700/v1/agents/desk/a2a"],
    ["http://[::1]:4700/*", "http://[0:0:0:0:0:0:0:1]:4700/desk"],
    // Dot segments are gone before the URL is dialed, so that what is left decides.
    ["https://agents.example.com/team/*", "https://agents.example.com/other/../team/desk"],
    ["https://agents.example.com/team/*", "https://agents.example.com/team/./desk"],
  ])("E7 %s means %s", (pattern, url) => {
    expect(matches(pattern, url)).toBe(true);
  });

  it.each([
    // Another host, however much it looks like this one.
    ["https://agents.example.com/*", "https://agents.example.com.evil.example/"],
    ["https://agents.example.com/*", "https://evil.example/agents.example.com/"],
    ["https://agents.example.com/*", "https://sub.agents.example.com/"],
    ["https://agents.example.com/*", "https://example.com/"],
    ["https://agents.example.com/*", "https://agents.example.com./"],
    ["https://agents.example.com/*", "https://agents-example.com/"],
    ["https://agents.example.com/*", "https://agents.example.com@evil.example/"],
    ["https://agents.example.com/*", "https://evil.example\\@agents.example.com/"],
    ["https://agents.example.com/*", "https://evil.example#@agents.example.com/"],
    ["https://agents.example.com/*", "https://evil.example/?https://agents.example.com/"],
    // Users are no part of an agent's address.
    ["https://agents.example.com/*", "https://user@agents.example.com/"],
    ["https://agents.example.com/*", "https://user:secret@agents.example.com/"],
    ["https://agents.example.com/*", "https://@agents.example.com/"],
    ["https://agents.example.com/*", "https://:@agents.example.com/"],
    // Another scheme or port.
    ["https://agents.example.com/*", "http://agents.example.com/"],
    ["https://agents.example.com/*", "ftp://agents.example.com/"],
    ["https://agents.example.com/*", "https://agents.example.com:8443/"],
    ["https://agents.example.com:8443/*", "https://agents.example.com/"],
    ["http://agents.example.com:443/*", "https://agents.example.com/"],
    // Another path.
    ["https://agents.example.com/team/*", "https://agents.example.com/team"],
    ["https://agents.example.com/team/*", "https://agents.example.com/teams/desk"],
    ["https://agents.example.com/team/*", "https://agents.example.com/Team/desk"],
    ["https://agents.example.com/desk", "https://agents.example.com/desk/"],
    ["https://agents.example.com/desk", "https://agents.example.com/desk?as=admin"],
    ["https://agents.example.com", "https://agents.example.com/desk"],
    // A way out of the path.
    ["https://agents.example.com/team/*", "https://agents.example.com/team/../admin"],
    ["https://agents.example.com/team/*", "https://agents.example.com/team/%2e%2e/admin"],
    ["https://agents.example.com/team/*", "https://agents.example.com/team/.%2E/admin"],
    ["https://agents.example.com/team/*", "https://agents.example.com/team/..%2fadmin"],
    ["https://agents.example.com/team/*", "https://agents.example.com/team/..%5Cadmin"],
    ["https://agents.example.com/team/*", "https://agents.example.com/team/%2e%2e%2fadmin"],
    ["https://agents.example.com/team/*", "https://agents.example.com/team/%252e%252e%252fadmin"],
    ["https://agents.example.com/team/*", "https://agents.example.com/team/..\\admin"],
    ["https://agents.example.com/team/*", "https://agents.example.com/team/..;/admin"],
    ["https://agents.example.com/team/*", "https://agents.example.com/team/.;a=b/..;x/admin"],
    ["https://agents.example.com/team/*", "https://agents.example.com/team/..%253B/admin"],
    // What a parser would repair.
    ["https://agents.example.com/*", " https://agents.example.com/"],
    ["https://agents.example.com/*", "https://agents.exa\nmple.com/"],
    ["https://agents.example.com/*", "https:///agents.example.com/"],
    ["https://agents.example.com/*", "https:/agents.example.com/"],
    ["https://agents.example.com/*", "https:\\\\agents.example.com\\"],
    ["https://agents.example.com/*", "//agents.example.com/"],
    ["https://agents.example.com/*", "https://agents.example.com/#part"],
    ["https://agents.example.com/*", `https://agents.example.com/${"a".repeat(2100)}`],
    ["https://agents.example.com/*", ""],
  ])("E7 %s does not mean %j", (pattern, url) => {
    expect(matches(pattern, url)).toBe(false);
  });

  it.each([
    "*",
    "https://*",
    "https://*/",
    "https://*.example.com/*",
    "https://agents.example.com*",
    "https://agents.example.com:*/a",
    "https://agents.example.com/*/a2a",
    "https://agents.example.com/**",
    "https://agents.example.com/a?b=*",
    "https://agents.example.com/#*",
    "https://user@agents.example.com/*",
    "https://agents.example.com/a/../*",
    "https://agents.example.com/%2e%2e/*",
    "https://agents.example.com/a%2fb/*",
    "ftp://agents.example.com/*",
    "agents.example.com/*",
    "https://agents.example.com/ */",
    "",
  ])("E7 %j is no pattern", (text) => {
    expect(parseUrlPattern(text)).toBeNull();
  });
});
