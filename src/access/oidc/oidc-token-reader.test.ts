import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import fc from "fast-check";
import { SignJWT } from "jose";
import { beforeEach, describe, expect, it } from "vitest";
import type { JsonValue } from "../../shared/json.js";
import { OidcTokenReader } from "./oidc-token-reader.js";

const ISSUER = "https://login.example.com/tenant/";
const DESK = { tenant: "default", name: "desk" };
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ed = generateKeyPairSync("ed25519");
const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 });
const jwk = (key: KeyObject, over: object = {}) => ({ ...key.export({ format: "jwk" }), ...over }) as JsonValue;

let time = 1_800_000_000_000;
const clock = { now: () => time };
const seconds = () => Math.floor(time / 1000);

let documents: Record<string, JsonValue | Error>;
let fetched: string[];
let problems: string[];
let reader: OidcTokenReader;

const DISCOVERY = "https://login.example.com/tenant/.well-known/openid-configuration";
const JWKS = "https://keys.example.com/jwks";

beforeEach(() => {
  time = 1_800_000_000_000;
  documents = {
    [DISCOVERY]: { issuer: ISSUER, jwks_uri: JWKS },
    [JWKS]: {
      keys: [
        jwk(rsa.publicKey, { kid: "r1", use: "sig" }),
        jwk(ec.publicKey, { kid: "e1" }),
        jwk(ed.publicKey, { kid: "d1", alg: "EdDSA" }),
        { kty: "oct", kid: "o1", k: "AAAA" },
        { kty: "unheard-of", kid: "u1" },
        "nonsense",
      ],
    },
  };
  fetched = [];
  problems = [];
  reader = new OidcTokenReader(
    [
      { issuer: ISSUER, audience: "nuncio", tenant: "default" },
      { issuer: ISSUER, audience: "acme-app", tenant: "acme", scopes: ["tasks:read"] },
    ],
    {
      clock,
      onProblem: (error) => problems.push(String(error)),
      async fetchJson(url) {
        fetched.push(url);
        const document = documents[url];
        if (document === undefined || document instanceof Error) throw document ?? new Error("not found");
        return document;
      },
    },
  );
});

const outcome = async (token: string) => {
  const read = await reader.read(token, DESK, time);
  const answer = "principal" in read ? read : read.holder(DESK, time);
  return answer.principal === null ? answer.why : answer.principal.subject;
};

interface Made {
  header?: object;
  claims?: object;
  key?: KeyObject;
  headerJson?: string;
}

/** Signed with RSASSA-PKCS1-v1_5 and SHA-256, whatever the header says. */
function token({ header = {}, claims = {}, key = rsa.privateKey, headerJson }: Made = {}): string {
  const head = headerJson ?? JSON.stringify({ alg: "RS256", kid: "r1", typ: "JWT", ...header });
  const payload = { iss: ISSUER, aud: "nuncio", sub: "ada", iat: seconds(), exp: seconds() + 300, ...claims };
  const text = [head, JSON.stringify(payload)].map((part) => Buffer.from(part).toString("base64url")).join(".");
  return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
}

const ADA = `oidc:${ISSUER}#ada`;

describe("tokens of identity providers", () => {
  it("E25 name a caller of the configured tenant with the scopes that both sides know", async () => {
    const read = await reader.read(token({ claims: { scope: "openid runs:execute admin" } }), DESK, time);
    expect("principal" in read ? read : read.holder(DESK, time)).toEqual({
      principal: { kind: "user", subject: ADA, tenant: "default", scopes: ["runs:execute"] },
      keyId: `oidc:${ISSUER}`,
      expiresAt: time + 300_000 + 60_000,
    });
  });

  it.each([
    [{ scope: "" }, []],
    [{ scope: "tasks:read runs:execute" }, ["runs:execute", "tasks:read"]],
    [{ scp: ["tasks:read"] }, ["tasks:read"]],
    [{ scp: "runs:execute" }, ["runs:execute"]],
    [{ scope: { "runs:execute": true } }, []],
    [{ scope: ["runs:execute x"] }, []],
    [{ aud: "acme-app", scope: "runs:execute" }, ["tasks:read"]],
  ])("E25 with %j have the scopes %j", async (claims, scopes) => {
    const read = await reader.read(token({ claims }), DESK, time);
    expect("principal" in read ? read.why : read.holder(DESK, time)).toMatchObject({ principal: { scopes } });
  });

  it("E25 are accepted in every algorithm in which only the provider can sign", async () => {
    const made = (alg: string, kid: string, key: KeyObject) =>
      new SignJWT({ iss: ISSUER, aud: "nuncio", sub: "ada", exp: seconds() + 60 })
        .setProtectedHeader({ alg, kid })
        .sign(key);
    for (const alg of ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"]) {
      expect(await outcome(await made(alg, "r1", rsa.privateKey))).toBe(ADA);
    }
    expect(await outcome(await made("ES256", "e1", ec.privateKey))).toBe(ADA);
    expect(await outcome(await made("EdDSA", "d1", ed.privateKey))).toBe(ADA);
  });

  it("E25 without a kid are accepted where only one key can be meant", async () => {
    const unnamed = token({ headerJson: '{"alg":"RS256"}' });
    expect(await outcome(unnamed)).toBe(ADA);
    documents[JWKS] = { keys: [jwk(rsa.publicKey, { kid: "r1" }), jwk(stranger.publicKey, { kid: "r2" })] };
    time += 700_000;
    await outcome(token());
    await Promise.resolve();
    expect(await outcome(token({ headerJson: '{"alg":"RS256"}' }))).toBe("unknown");
  });

  const refusals: [what: string, why: string, token: () => string | Promise<string>][] = [
    [
      "is not signed",
      "malformed",
      () =>
        `${token({ header: { alg: "none" } })
          .split(".")
          .slice(0, 2)
          .join(".")}.`,
    ],
    ["says none", "malformed", () => token({ header: { alg: "none" } })],
    [
      "has the public key as its shared secret",
      "malformed",
      () =>
        new SignJWT({ iss: ISSUER, aud: "nuncio", sub: "ada", exp: seconds() + 60 })
          .setProtectedHeader({ alg: "HS256", kid: "r1" })
          .sign(Buffer.from(rsa.publicKey.export({ type: "spki", format: "pem" }))),
    ],
    ["names an algorithm of another key", "unknown", () => token({ header: { alg: "ES256" } })],
    ["is signed in another algorithm than it says", "signature", () => token({ header: { alg: "PS256" } })],
    ["has an algorithm that every object has", "malformed", () => token({ header: { alg: "constructor" } })],
    [
      "brings its key along",
      "malformed",
      () => token({ header: { jwk: jwk(stranger.publicKey) }, key: stranger.privateKey }),
    ],
    ["names a URL of its key", "malformed", () => token({ header: { jku: "https://evil.example/jwks" } })],
    ["names a URL of its certificate", "malformed", () => token({ header: { x5u: "https://evil.example" } })],
    ["has a header that must be understood", "malformed", () => token({ header: { crit: ["exp"] } })],
    ["is encrypted", "malformed", () => token({ header: { enc: "A256GCM" } })],
    ["is of another type", "malformed", () => token({ header: { typ: "logout+jwt" } })],
    ["names a key that the provider does not have", "unknown", () => token({ header: { kid: "r9" } })],
    ["names a shared secret as its key", "unknown", () => token({ header: { kid: "o1" } })],
    ["is signed by a stranger", "signature", () => token({ key: stranger.privateKey })],
    ["is of another issuer", "unknown", () => token({ claims: { iss: "https://evil.example/" } })],
    ["is of the issuer without its slash", "unknown", () => token({ claims: { iss: ISSUER.slice(0, -1) } })],
    ["is of no issuer", "malformed", () => token({ claims: { iss: undefined } })],
    ["is of a list of issuers", "malformed", () => token({ claims: { iss: [ISSUER] } })],
    ["is for somebody else", "audience", () => token({ claims: { aud: "other" } })],
    ["is for somebody whose name begins so", "audience", () => token({ claims: { aud: "nuncio-2" } })],
    ["is for nobody", "audience", () => token({ claims: { aud: undefined } })],
    ["is for more than anybody needs", "malformed", () => token({ claims: { aud: Array(21).fill("nuncio") } })],
    ["names nobody", "malformed", () => token({ claims: { sub: undefined } })],
    ["names nobody in particular", "malformed", () => token({ claims: { sub: "" } })],
    ["names somebody by a number", "malformed", () => token({ claims: { sub: 7 } })],
    ["names somebody with control characters", "malformed", () => token({ claims: { sub: "ada\u0000" } })],
    ["names somebody at too great length", "malformed", () => token({ claims: { sub: "a".repeat(256) } })],
    ["ended longer ago than clocks differ", "expired", () => token({ claims: { exp: seconds() - 60 } })],
    ["never ends", "malformed", () => token({ claims: { exp: undefined } })],
    ["ends in months", "long-lived", () => token({ claims: { exp: seconds() + 31 * 86_400 } })],
    ["begins later", "early", () => token({ claims: { nbf: seconds() + 61 } })],
    ["says something twice", "malformed", () => token({ headerJson: '{"alg":"RS256","kid":"r1","kid":"r1"}' })],
    ["is longer than any token", "malformed", () => token({ claims: { padding: "x".repeat(7000) } })],
  ];
  it.each(refusals)("E25 one that %s is refused: %s", async (_, why, made) => {
    expect(await outcome(await made())).toBe(why);
  });

  it("X14 a clock that is a minute off is borne with", async () => {
    expect(await outcome(token({ claims: { exp: seconds() - 59, iat: seconds() - 300 } }))).toBe(ADA);
    expect(await outcome(token({ claims: { nbf: seconds() + 60 } }))).toBe(ADA);
  });

  it("E25 subjects of two issuers, and of keys, are never the same text", async () => {
    expect(await outcome(token({ claims: { sub: "x#y" } }))).toBe(`oidc:${ISSUER}#x#y`);
    expect(await outcome(token({ claims: { sub: "user:ada" } }))).toBe(`oidc:${ISSUER}#user:ada`);
  });

  it.each([
    ["describes itself as another issuer", DISCOVERY, { issuer: ISSUER.slice(0, -1), jwks_uri: JWKS }],
    ["names a URL of its keys without TLS", DISCOVERY, { issuer: ISSUER, jwks_uri: "http://keys.example.com/jwks" }],
    ["names a file as its keys", DISCOVERY, { issuer: ISSUER, jwks_uri: "file:///etc/passwd" }],
    ["names no keys", DISCOVERY, { issuer: ISSUER }],
    ["describes itself in a list", DISCOVERY, []],
    ["has no list of keys", JWKS, { keys: {} }],
    ["has too many keys", JWKS, { keys: Array(101).fill({}) }],
    ["cannot be reached", DISCOVERY, new Error("ECONNREFUSED")],
  ])("E25 of a provider that %s are refused, and it is said why", async (_, url, document) => {
    documents[url] = document as JsonValue | Error;
    expect(await outcome(token())).toBe("unknown");
    expect(problems).toHaveLength(1);
  });

  it("R5 whatever is shown is refused, and costs the provider a few requests at most", async () => {
    const claim = fc.oneof(fc.jsonValue(), fc.constantFrom(ISSUER, "nuncio", "ada", seconds() + 60));
    const claims = fc.record({ iss: claim, aud: claim, sub: claim, exp: claim, scope: claim }, { requiredKeys: [] });
    const header = fc.record({ alg: claim, kid: claim, typ: claim }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(claims, header, async (given, head) => {
        expect(await outcome(token({ claims: given, header: head, key: stranger.privateKey }))).not.toMatch(/^oidc:/);
      }),
      { numRuns: 200 },
    );
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
        expect(await outcome(text)).toBe("malformed");
      }),
    );
    expect(fetched.length).toBeLessThanOrEqual(2);
  });
});

describe("the keys of identity providers", () => {
  it("E25 are fetched when the first token comes, once for all who wait", async () => {
    expect(fetched).toEqual([]);
    const all = await Promise.all(Array.from({ length: 50 }, () => outcome(token())));
    expect(new Set(all)).toEqual(new Set([ADA]));
    expect(fetched).toEqual([DISCOVERY, JWKS]);
  });

  it("E25 a token that is refused for what it says has nothing fetched", async () => {
    for (const claims of [
      { aud: "other" },
      { exp: seconds() - 100 },
      { iss: "https://evil.example" },
      { nbf: seconds() + 100 },
    ]) {
      await outcome(token({ claims }));
    }
    expect(fetched).toEqual([]);
  });

  it("E25 a key that is new is found, and asked for twice a minute at most, whatever is shown", async () => {
    await outcome(token());
    documents[JWKS] = { keys: [jwk(rsa.publicKey, { kid: "r1" }), jwk(stranger.publicKey, { kid: "r2" })] };
    const rotated = () => token({ header: { kid: "r2" }, key: stranger.privateKey });
    for (let at = 0; at < 20; at++) expect(await outcome(rotated())).toBe("unknown");
    expect(fetched).toHaveLength(2);
    time += 30_000;
    expect(await outcome(rotated())).toBe(ADA);
    expect(await outcome(token())).toBe(ADA);
    expect(fetched).toHaveLength(4);
  });

  it("E25 one that has gone is believed no more once that is known", async () => {
    const read = await reader.read(token(), DESK, time);
    if ("principal" in read) throw new Error(read.why);
    documents[JWKS] = { keys: [jwk(ec.publicKey, { kid: "e1" })] };
    time += 600_001;
    await outcome(token());
    await new Promise((resolve) => setImmediate(resolve));
    expect(await outcome(token())).toBe("unknown");
    expect(read.holder(DESK, time)).toEqual({ principal: null, why: "revoked" });
  });

  it("E25 count for a day while the provider cannot be reached", async () => {
    await outcome(token());
    documents[DISCOVERY] = new Error("down");
    const at = async (ms: number) => {
      time += ms;
      const said = await outcome(token());
      await new Promise((resolve) => setImmediate(resolve));
      return said;
    };
    expect(await at(3_600_000)).toBe(ADA);
    expect(await at(22 * 3_600_000)).toBe(ADA);
    expect(problems).toHaveLength(2);
    expect(await at(3_600_001)).toBe("unknown");
    documents[DISCOVERY] = { issuer: ISSUER, jwks_uri: JWKS };
    expect(await at(30_000)).toBe(ADA);
  });

  it("E25 a provider that does not answer keeps nobody but those who wait for it", async () => {
    let answer = () => {};
    documents[DISCOVERY] = new Promise<JsonValue>((resolve) => {
      answer = () => resolve({ issuer: ISSUER, jwks_uri: JWKS });
    }) as unknown as JsonValue;
    const waiting = Array.from({ length: 1000 }, () => outcome(token()));
    expect(await outcome(token())).toBe("unknown");
    answer();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([ADA]));
    expect(fetched).toHaveLength(2);
  });
});
