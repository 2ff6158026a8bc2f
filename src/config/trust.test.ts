import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ConfigError } from "./config-error.js";
import { parseConfig } from "./load-config.js";

const directory = mkdtempSync(join(tmpdir(), "nuncio-trust-"));
const file = join(directory, "nuncio.yaml");
const jwk = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
writeFileSync(join(directory, "good.json"), JSON.stringify({ keys: [{ ...jwk, kid: "k1" }] }));
writeFileSync(join(directory, "broken.json"), "{");
afterAll(() => rmSync(directory, { recursive: true }));

const load = async (access: object) =>
  (await parseConfig(JSON.stringify({ access, personas: [{ name: "a", runtime: "scripted" }] }), file, {})).config
    .access;
const refusal = async (access: object): Promise<string> => {
  try {
    await load(access);
  } catch (error) {
    // The text is one line that is written here by no hand: where in it, is of no interest.
    if (error instanceof ConfigError)
      return error.message.replaceAll(`${directory}/`, "").replace(/^nuncio.yaml:1:\d+: /, "");
    throw error;
  }
  return "accepted";
};
const oidc = (over: object) => ({ oidc: [{ issuer: "https://login.example.com", audience: "nuncio", ...over }] });

describe("who is believed", () => {
  it("E6 E25 is taken as it stands: paths from the file, issuers to the letter", async () => {
    const access = await load({
      trustDomain: "example.com",
      trustBundles: { "partner.example": { jwksFile: "good.json" } },
      oidc: [
        { issuer: "https://login.example.com/", audience: "nuncio" },
        { issuer: "https://login.example.com/", audience: "acme", tenant: "acme", scopes: ["tasks:read"] },
        { issuer: "http://127.0.0.1:8080", audience: "x" },
        { issuer: "http://[::1]:8080/realm", audience: "x" },
      ],
    });
    expect(access).toMatchObject({
      trustBundles: { "partner.example": { jwksFile: join(directory, "good.json") } },
      oidc: [
        { issuer: "https://login.example.com/", audience: "nuncio", tenant: "default" },
        { tenant: "acme", scopes: ["tasks:read"] },
        { issuer: "http://127.0.0.1:8080" },
        { issuer: "http://[::1]:8080/realm" },
      ],
    });
    expect(access.oidc[0]?.scopes).toBeUndefined();
  });

  const issuer = (text: string) =>
    `access.oidc[0].issuer: ${JSON.stringify(text)} is not an issuer; use its https:// URL as it stands in its tokens ("iss"), without user, ? and #`;
  it.each([
    ["an issuer in plain text", oidc({ issuer: "http://login.example.com" }), issuer("http://login.example.com")],
    ["an issuer with a user", oidc({ issuer: "https://a@login.example.com" }), issuer("https://…@login.example.com")],
    ["an issuer with a query", oidc({ issuer: "https://login.example.com?x" }), issuer("https://login.example.com?x")],
    [
      "an issuer with a fragment",
      oidc({ issuer: "https://login.example.com#x" }),
      issuer("https://login.example.com#x"),
    ],
    ["no issuer at all", oidc({ issuer: "login.example.com" }), issuer("login.example.com")],
    [
      "an unknown scope",
      oidc({ scopes: ["admin"] }),
      'access.oidc[0].scopes[0]: "admin" is not known here; use runs:execute or tasks:read',
    ],
    [
      "an issuer for one audience twice",
      { oidc: [...oidc({}).oidc, ...oidc({ tenant: "acme" }).oidc] },
      "access.oidc[1]: has the issuer and audience of oidc[0]; remove one",
    ],
    [
      "a bundle without a domain of our own",
      { trustBundles: { "partner.example": { jwksFile: "good.json" } } },
      'access.trustBundles["partner.example"]: needs access.trustDomain: agents of others name ours by ids in it; set it, or remove this',
    ],
    [
      "a bundle for our own domain",
      { trustDomain: "example.com", trustBundles: { "example.com": { jwksFile: "good.json" } } },
      'access.trustBundles["example.com"]: is our own trust domain, whose keys are in the ledger; remove this',
    ],
    [
      "a bundle that is not there",
      { trustDomain: "example.com", trustBundles: { "partner.example": { jwksFile: "no.json" } } },
      'access.trustBundles["partner.example"].jwksFile: "no.json" does not exist; use the keys of partner.example as a JWK set (looked for no.json)',
    ],
    [
      "a bundle that is broken",
      { trustDomain: "example.com", trustBundles: { "partner.example": { jwksFile: "broken.json" } } },
      'access.trustBundles["partner.example"].jwksFile: "broken.json" is not a JSON object in which every key stands once; use the keys of partner.example as a JWK set (looked for broken.json)',
    ],
  ])("E6 E25 %s is refused", async (_, access, message) => {
    expect(await refusal(access)).toBe(message);
  });
});
