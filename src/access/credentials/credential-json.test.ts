import { describe, expect, it } from "vitest";
import { type CredentialJson, credentialText, parseCredential } from "./credential-json.js";

const TOKEN = "a-token-of-more-than-16-characters";
const bearer = { schema: 1, peer: "reviewer", token: TOKEN };

describe("the content of a credential file", () => {
  it.each<[string, object]>([
    ["of a peer", bearer],
    ["of a peer, with its type", { ...bearer, type: "bearer" }],
    ["of a peer, sealed", { schema: 1, peer: "reviewer", sealed: "s1.abc.AAAA" }],
    ["an API key", { schema: 1, type: "apiKey", header: "X-Api-Key", value: "short" }],
    [
      "client credentials",
      {
        schema: 1,
        type: "oauth2ClientCredentials",
        tokenUrl: "https://a/token",
        clientId: "a",
        clientSecret: "b c",
        scope: "x",
      },
    ],
    [
      "client credentials without a scope",
      { schema: 1, type: "oauth2ClientCredentials", tokenUrl: "https://a/token", clientId: "a", clientSecret: "b" },
    ],
    ["an agent token", { schema: 1, type: "agentToken" }],
  ])("E19 P1 is taken, and written as it was: %s", (_what, given) => {
    const parsed = parseCredential(given);
    expect(parsed).not.toHaveProperty("problem");
    const { type, ...rest } = JSON.parse(credentialText(parsed as CredentialJson));
    expect({ ...rest, type: type ?? "bearer" }).toEqual({ type: "bearer", ...given });
  });

  it.each<[string, unknown]>([
    ["is not a JSON object", [bearer]],
    ["is not a JSON object", null],
    ['does not say "schema": 1', { ...bearer, schema: 2 }],
    ['does not say "schema": 1', { peer: "reviewer", token: TOKEN }],
    ['has no "type" that is known', { ...bearer, type: "basic" }],
    ['has no "type" that is known', { ...bearer, type: "constructor" }],
    ['has the unknown field "note"', { ...bearer, note: "x" }],
    ['has the unknown field "value"', { ...bearer, value: "x" }],
    ['has the unknown field "__proto__"', JSON.parse(`{"schema":1,"peer":"a","token":"${TOKEN}","__proto__":{}}`)],
    ['has no valid "peer"', { ...bearer, peer: "../etc" }],
    ['has no valid "peer"', { ...bearer, peer: "Reviewer" }],
    ['has no valid "peer"', { schema: 1, token: TOKEN }],
    ['has no valid "token"', { ...bearer, token: "too-short" }],
    ['has no valid "token"', { ...bearer, token: `${TOKEN}\r\nx: y` }],
    ['has no valid "token"', { ...bearer, token: `${TOKEN} ` }],
    ['has no valid "token"', { ...bearer, token: 12345678901234567890n.toString().length }],
    ['must have one of "token" and "sealed"', { schema: 1, peer: "reviewer" }],
    ['must have one of "token" and "sealed"', { ...bearer, sealed: "s1.abc.AAAA" }],
    ['has no valid "sealed"', { schema: 1, peer: "reviewer", sealed: "plain" }],
    ['has no valid "header"', { schema: 1, type: "apiKey", header: "X Api", value: "x" }],
    ["carries no credential", { schema: 1, type: "apiKey", header: "Content-Length", value: "x" }],
    ['has no valid "value"', { schema: 1, type: "apiKey", header: "X-Api-Key", value: "a\nb" }],
    [
      'has no valid "tokenUrl"',
      { schema: 1, type: "oauth2ClientCredentials", tokenUrl: "file:///x", clientId: "a", clientSecret: "b" },
    ],
    ['has the unknown field "sealed"', { schema: 1, type: "agentToken", sealed: "s1.abc.AAAA" }],
  ])("P1 R7 is refused, without its secret: %s", (problem, given) => {
    const parsed = parseCredential(given);
    expect(parsed).toEqual({ problem: expect.stringContaining(problem) });
    expect(JSON.stringify(parsed)).not.toContain(TOKEN);
  });
});
