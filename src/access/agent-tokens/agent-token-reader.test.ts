import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { type JWTPayload, SignJWT } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sqlAccessStore } from "../../store/access/access-store.js";
import { openSqlite } from "../../store/sqlite/open-sqlite.js";
import type { AgentName } from "../agent-name.js";
import { KeyRing } from "../sealing/key-ring.js";
import { createSealer } from "../sealing/sealer.js";
import { AgentKeys } from "./agent-keys.js";
import { AgentTokenIssuer } from "./agent-token-issuer.js";
import { AgentTokenReader } from "./agent-token-reader.js";
import { sealPurpose } from "./signing-key.js";
import { TrustBundles } from "./trust-bundles.js";

const DESK: AgentName = { tenant: "default", name: "desk" };
const LAB: AgentName = { tenant: "acme", name: "lab" };
const DESK_ID = "spiffe://example.com/agents/desk";
const LAB_ID = "spiffe://example.com/tenants/acme/agents/lab";
const FOREIGN_ID = "spiffe://partner.example/team/scout";

let time = 1_800_000_000_000;
const clock = { now: () => time };
const seconds = () => Math.floor(time / 1000);

const directory = mkdtempSync(join(tmpdir(), "nuncio-tokens-"));
const database = openSqlite(":memory:");
const store = sqlAccessStore(database);
const sealer = createSealer(new KeyRing(join(directory, "sealing.json"), clock));
const hostedNames = new Set(["default/desk", "acme/lab"]);
const hosted = {
  get: (tenant: string, name: string) =>
    hostedNames.has(`${tenant}/${name}`)
      ? { policy: { mode: "enforce", tools: [], a2aTargets: [], egressHosts: [] } }
      : undefined,
};
const keys = new AgentKeys(store, { clock, alone: true });
const issuer = new AgentTokenIssuer({ trustDomain: "example.com", store, keys, sealer, hosted, clock });
const bundleFile = join(directory, "partner.jwks.json");
const problems: string[] = [];
const bundles = new TrustBundles([{ trustDomain: "partner.example", file: bundleFile }], (_, problem) =>
  problems.push(problem),
);
const reader = new AgentTokenReader({ trustDomain: "example.com", keys, bundles, hosted });

const partner = generateKeyPairSync("ec", { namedCurve: "P-256" });
const publish = (entries: object[]) => writeFileSync(bundleFile, JSON.stringify({ keys: entries }));
const partnerJwk = (over: object = {}) => ({
  ...partner.publicKey.export({ format: "jwk" }),
  kid: "p1",
  use: "jwt-svid",
  ...over,
});

/** The private key with which the agent signs now. */
async function privateKeyOf(agent: AgentName): Promise<{ kid: string; key: KeyObject; publicKey: KeyObject }> {
  await issuer.keysOf(agent);
  const held = await store.signingKey(agent);
  if (held === null) throw new Error("no key");
  const key = createPrivateKey({ key: JSON.parse(sealer.open(held.sealed, sealPurpose(held.key))), format: "jwk" });
  return { kid: held.key.kid, key, publicKey: createPublicKey(key) };
}

let lab: Awaited<ReturnType<typeof privateKeyOf>>;
let desk: Awaited<ReturnType<typeof privateKeyOf>>;

beforeAll(async () => {
  lab = await privateKeyOf(LAB);
  desk = await privateKeyOf(DESK);
});
beforeEach(async () => {
  publish([partnerJwk()]);
  await bundles.look();
  problems.length = 0;
});
afterAll(async () => {
  await database.close();
  rmSync(directory, { recursive: true });
});

const outcome = async (token: string, called = DESK): Promise<string> => {
  const read = await reader.read(token, called, time);
  const answer = "principal" in read ? read : read.holder(called, time);
  return answer.principal === null ? answer.why : answer.principal.subject;
};

interface Forged {
  header?: object;
  payload?: object;
  key?: KeyObject;
  /** In place of the payload as JSON. */
  json?: string;
  headerJson?: string;
}

/** A token as anybody may write it: what the header says is not what it is signed with unless the test says so. */
function forged({ header = {}, payload = {}, key = lab.key, json, headerJson }: Forged): string {
  const head = headerJson ?? JSON.stringify({ alg: "ES256", kid: lab.kid, typ: "JWT", ...header });
  const claims = { sub: LAB_ID, aud: DESK_ID, iat: seconds(), exp: seconds() + 300, ...payload };
  const text = `${b64(head)}.${b64(json ?? JSON.stringify(claims))}`;
  return `${text}.${sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

const b64 = (text: string | Buffer): string => Buffer.from(text).toString("base64url");
const foreign = (over: Forged = {}): string =>
  forged({
    key: partner.privateKey,
    ...over,
    header: { kid: "p1", ...over.header },
    payload: { sub: FOREIGN_ID, ...over.payload },
  });
const jwkOf = (key: KeyObject) => createPublicKey(key).export({ format: "jwk" });

describe("tokens of our agents", () => {
  it("E6 name the calling agent, with its tenant, its policy and nothing but the scope to execute", async () => {
    const { token, subject, audience, expiresAt } = await issuer.mint(LAB, "desk", 300_000);
    expect({ subject, audience, expiresAt }).toEqual({ subject: LAB_ID, audience: DESK_ID, expiresAt: time + 300_000 });
    const read = await reader.read(token, DESK, time);
    expect("principal" in read ? read : read.holder(DESK, time)).toEqual({
      principal: {
        kind: "agent",
        subject: `agent:${LAB_ID}`,
        tenant: "acme",
        scopes: ["runs:execute"],
        agent: { spiffeId: LAB_ID, persona: LAB, policy: hosted.get("acme", "lab")?.policy },
      },
      keyId: lab.kid,
      expiresAt,
    });
  });

  it("E6 the tokens that a forger would have to make are accepted as they should be", async () => {
    expect(await outcome(forged({}))).toBe(`agent:${LAB_ID}`);
    expect(await outcome(forged({ payload: { aud: [DESK_ID] } }))).toBe(`agent:${LAB_ID}`);
    expect(await outcome(forged({ payload: { nbf: seconds() + 60, iat: seconds() + 60 } }))).toBe(`agent:${LAB_ID}`);
    expect(await outcome(forged({ headerJson: JSON.stringify({ alg: "ES256", kid: lab.kid }) }))).toBe(
      `agent:${LAB_ID}`,
    );
    expect(await outcome(forged({ payload: { exp: seconds() + 3600 } }))).toBe(`agent:${LAB_ID}`);
  });

  const refusals: [what: string, why: string, token: () => string | Promise<string>][] = [
    // The algorithm and the key
    ["is not signed at all", "malformed", () => `${b64('{"alg":"none"}')}.${b64("{}")}.`],
    ["says none, signed", "malformed", () => forged({ header: { alg: "none" } })],
    ["says None", "malformed", () => forged({ header: { alg: "None" } })],
    ["says nothing of its algorithm", "malformed", () => forged({ headerJson: `{"kid":"${lab.kid}"}` })],
    ["says ES384", "malformed", () => forged({ header: { alg: "ES384" } })],
    ["says RS256", "malformed", () => forged({ header: { alg: "RS256" } })],
    ["says es256", "malformed", () => forged({ header: { alg: "es256" } })],
    [
      "has the public key as its shared secret",
      "malformed",
      () =>
        new SignJWT({ sub: LAB_ID, aud: DESK_ID })
          .setProtectedHeader({ alg: "HS256", kid: lab.kid })
          .setExpirationTime(seconds() + 60)
          .sign(Buffer.from(lab.publicKey.export({ type: "spki", format: "pem" }))),
    ],
    [
      "brings its key along",
      "malformed",
      () => forged({ header: { jwk: jwkOf(partner.privateKey) }, key: partner.privateKey }),
    ],
    ["names a URL of its key", "malformed", () => forged({ header: { jku: "https://evil.example/keys" } })],
    ["names a URL of its certificate", "malformed", () => forged({ header: { x5u: "https://evil.example/cert" } })],
    ["brings a certificate along", "malformed", () => forged({ header: { x5c: ["certificate"] } })],
    ["has a header that must be understood", "malformed", () => forged({ header: { crit: ["b64"], b64: false } })],
    ["is of another type", "malformed", () => forged({ header: { typ: "at+jwt" } })],
    ["names no key", "malformed", () => forged({ headerJson: '{"alg":"ES256"}' })],
    ["names its key by a number", "malformed", () => forged({ header: { kid: 1 } })],
    ["names its key by a list", "malformed", () => forged({ header: { kid: [lab.kid] } })],
    ["names a key that nobody has", "unknown", () => forged({ header: { kid: "x".repeat(43) } })],
    ["names a path as its key", "unknown", () => forged({ header: { kid: "../../dev/null" } })],
    ["names its key as what every object has", "unknown", () => forged({ header: { kid: "__proto__" } })],
    ["is signed by another agent's key", "unknown", () => forged({ header: { kid: desk.kid }, key: desk.key })],
    ["is signed by another key than it says", "signature", () => forged({ key: desk.key })],
    ["is signed by a stranger", "signature", () => forged({ key: partner.privateKey })],
    ["was changed", "signature", () => changed(forged({}), { exp: seconds() + 1000 })],
    ["has a signature of zeros", "signature", () => `${forged({}).replace(/[^.]+$/, "")}${b64(Buffer.alloc(64))}`],
    [
      "has a signature in another encoding",
      "signature",
      () => `${forged({}).replace(/[^.]+$/, "")}${b64(Buffer.alloc(71, 3))}`,
    ],
    // Whom it is for, and whom it names
    ["is for another agent", "audience", () => forged({ payload: { aud: LAB_ID } })],
    [
      "is for an agent of that name elsewhere",
      "audience",
      () => forged({ payload: { aud: "spiffe://other.com/agents/desk" } }),
    ],
    ["is for many", "malformed", () => forged({ payload: { aud: [DESK_ID, LAB_ID] } })],
    ["is for the same agent twice", "malformed", () => forged({ payload: { aud: [DESK_ID, DESK_ID] } })],
    ["is for nobody", "malformed", () => forged({ payload: { aud: [] } })],
    ["is for no text", "malformed", () => forged({ payload: { aud: { id: DESK_ID } } })],
    ["does not say for whom", "malformed", () => forged({ payload: { aud: undefined } })],
    ["is for the id in capitals", "audience", () => forged({ payload: { aud: DESK_ID.toUpperCase() } })],
    ["does not say whose it is", "malformed", () => forged({ payload: { sub: undefined } })],
    ["names no SPIFFE id", "malformed", () => forged({ payload: { sub: "desk" } })],
    ["names a trust domain alone", "malformed", () => forged({ payload: { sub: "spiffe://example.com" } })],
    ["names an agent in escapes", "malformed", () => forged({ payload: { sub: "spiffe://example.com/agents/la%62" } })],
    ["names an agent with a slash behind it", "malformed", () => forged({ payload: { sub: `${LAB_ID}/` } })],
    [
      "names an agent by a second name",
      "unknown",
      () =>
        forged({
          header: { kid: desk.kid },
          payload: { sub: "spiffe://example.com/tenants/default/agents/desk" },
          key: desk.key,
        }),
    ],
    [
      "names an agent that is not there",
      "unknown",
      () => forged({ payload: { sub: "spiffe://example.com/agents/gone" } }),
    ],
    ["names another agent than its key is of", "unknown", () => forged({ payload: { sub: DESK_ID, aud: DESK_ID } })],
    [
      "names a trust domain that is not known",
      "unknown",
      () => forged({ payload: { sub: "spiffe://evil.example/x" } }),
    ],
    // When
    ["has ended", "expired", () => forged({ payload: { exp: seconds(), iat: seconds() - 60 } })],
    ["never ends", "malformed", () => forged({ payload: { exp: undefined } })],
    ["ends at a text", "malformed", () => forged({ payload: { exp: String(seconds() + 60) } })],
    ["ends at a list", "malformed", () => forged({ payload: { exp: [seconds() + 60] } })],
    [
      "ends beyond all numbers",
      "malformed",
      () => forged({ json: `{"sub":"${LAB_ID}","aud":"${DESK_ID}","exp":1e400}` }),
    ],
    ["ends too far ahead", "long-lived", () => forged({ payload: { exp: seconds() + 3601 } })],
    ["ends in the year 9999", "long-lived", () => forged({ payload: { exp: 253_402_300_799 } })],
    ["begins later", "early", () => forged({ payload: { nbf: seconds() + 61 } })],
    ["was made later", "early", () => forged({ payload: { iat: seconds() + 61 } })],
    ["was made at a text", "malformed", () => forged({ payload: { iat: "now" } })],
    // How it is written
    [
      "says who it is twice",
      "malformed",
      () => forged({ json: `{"sub":"${LAB_ID}","sub":"${DESK_ID}","aud":"${DESK_ID}","exp":${seconds() + 60}}` }),
    ],
    [
      "says its algorithm twice",
      "malformed",
      () => forged({ headerJson: `{"alg":"ES256","alg":"ES256","kid":"${lab.kid}"}` }),
    ],
    [
      "says its audience twice, once in escapes",
      "malformed",
      () => forged({ json: `{"sub":"${LAB_ID}","aud":"${DESK_ID}","\\u0061ud":"x","exp":${seconds() + 60}}` }),
    ],
    ["is a list", "malformed", () => forged({ json: "[]" })],
    ["is null", "malformed", () => forged({ json: "null" })],
    ["is no JSON", "malformed", () => forged({ json: "{" })],
    ["is nested deeper than it should be", "malformed", () => forged({ json: "[".repeat(5000) })],
    ["has something behind its JSON", "malformed", () => forged({ json: '{"sub":"x"} {}' })],
    ["begins with a byte order mark", "malformed", () => forged({ json: "\ufeff{}" })],
    ["is longer than any token", "malformed", () => forged({ payload: { padding: "x".repeat(6200) } })],
    ["is huge", "malformed", () => `${"A".repeat(1_000_000)}.${"A".repeat(1_000_000)}.AAAA`],
    ["has padding", "malformed", () => forged({}).replace(/$/, "=")],
    ["has white space in it", "malformed", () => forged({}).replace(".", ". ")],
    ["has five parts", "malformed", () => `${forged({})}.AAAA.AAAA`],
    ["has four parts", "malformed", () => `${forged({})}.AAAA`],
    ["has two parts", "malformed", () => forged({}).split(".").slice(0, 2).join(".")],
    ["spells its signature in another way", "malformed", () => otherSpelling(forged({}))],
    ["is empty", "malformed", () => ""],
    ["comes twice", "malformed", () => `${forged({})}, ${forged({})}`],
    ["is an API key", "malformed", () => `nk_${"a".repeat(43)}`],
  ];

  it.each(refusals)("E6 a token that %s is refused: %s", async (_, why, token) => {
    expect(await outcome(await token())).toBe(why);
  });

  it("E6 broken UTF-8 in a signed token is refused", async () => {
    const head = b64(JSON.stringify({ alg: "ES256", kid: lab.kid }));
    const text = `${head}.${b64(Buffer.concat([Buffer.from('{"sub":"'), Buffer.from([0xff]), Buffer.from('"}')]))}`;
    const signature = sign("sha256", Buffer.from(text), { key: lab.key, dsaEncoding: "ieee-p1363" });
    expect(await outcome(`${text}.${signature.toString("base64url")}`)).toBe("malformed");
  });

  it("E6 whether a token is good is asked at each request: for the agent, at the time, while its agent is there", async () => {
    const { token, expiresAt } = await issuer.mint(LAB, "desk", 60_000);
    const read = await reader.read(token, DESK, time);
    if ("principal" in read) throw new Error(read.why);
    const why = (called: AgentName, now: number) => {
      const answer = read.holder(called, now);
      return answer.principal === null ? answer.why : "in";
    };
    expect(why(DESK, expiresAt - 1)).toBe("in");
    expect(why(LAB, time)).toBe("audience");
    expect(why(DESK, expiresAt)).toBe("expired");
    hostedNames.delete("acme/lab");
    expect(why(DESK, time)).toBe("unknown");
    hostedNames.add("acme/lab");
    expect(why(DESK, time)).toBe("in");
  });

  it("R5 E6 garbage in any shape is refused, and nothing is thrown", async () => {
    const part = fc.oneof(fc.base64String(), fc.string({ unit: "binary" }), fc.json().map(b64));
    const anything = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(part, { maxLength: 5 }).map((parts) => parts.join(".")),
    );
    await fc.assert(
      fc.asyncProperty(anything, async (text) => {
        expect(["malformed", "unknown"]).toContain(await outcome(text));
      }),
      { numRuns: 300 },
    );
  });

  it("R5 E6 a good token with any character changed is refused", async () => {
    const { token } = await issuer.mint(LAB, "desk", 60_000);
    const index = fc.integer({ min: 0, max: token.length - 1 });
    await fc.assert(
      fc.asyncProperty(index, fc.string({ minLength: 1, maxLength: 1 }), async (at, char) => {
        fc.pre(token[at] !== char);
        expect(await outcome(token.slice(0, at) + char + token.slice(at + 1))).not.toMatch(/^agent:/);
      }),
      { numRuns: 300 },
    );
  });

  it("R5 E6 whatever claims and headers a token has, signed or not, it names nobody but its signer", async () => {
    const claim = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(LAB_ID, DESK_ID, FOREIGN_ID, [DESK_ID], 1e308, -1, seconds() + 60),
    );
    const claims = fc.record({ sub: claim, aud: claim, exp: claim, iat: claim, nbf: claim }, { requiredKeys: [] });
    const headers = fc.record({ kid: claim, alg: claim, typ: claim }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(claims, headers, fc.boolean(), async (payload, header, signed) => {
        const key = signed ? lab.key : partner.privateKey;
        const said = await outcome(forged({ payload: payload as JWTPayload, header, key }));
        if (said.startsWith("agent:")) expect([said, signed]).toEqual([`agent:${LAB_ID}`, true]);
      }),
      { numRuns: 300 },
    );
  });
});

describe("rotation of signing keys", () => {
  it("E6 X13 what the old key has signed counts until it has ended, and the key is published as long", async () => {
    const old = await issuer.mint(LAB, "desk", 3_600_000);
    const before = (await privateKeyOf(LAB)).kid;
    const { kid, before: retired } = await issuer.rotate(LAB, { atOnce: false });
    expect(retired.map((key) => key.kid)).toEqual([before]);
    expect(retired[0]?.acceptedUntil).toBeGreaterThanOrEqual(old.expiresAt);
    const fresh = await issuer.mint(LAB, "desk", 300_000);
    expect(JSON.parse(Buffer.from(fresh.token.split(".")[0] as string, "base64url").toString()).kid).toBe(kid);
    expect([await outcome(old.token), await outcome(fresh.token)]).toEqual([`agent:${LAB_ID}`, `agent:${LAB_ID}`]);
    const published = async () => (await issuer.keysOf(LAB)).map((key) => key.kid);
    expect(await published()).toEqual([before, kid]);
    time += 3_599_000;
    expect(await outcome(old.token)).toBe(`agent:${LAB_ID}`);
    time += 1000;
    expect(await outcome(old.token)).toBe("expired");
    time = (retired[0]?.acceptedUntil as number) - 1;
    expect(await published()).toEqual([before, kid]);
    time += 1;
    expect(await published()).toEqual([kid]);
    lab = await privateKeyOf(LAB);
  });

  it("E6 at once: what the old key has signed counts no more, and calls that hang on it are told", async () => {
    const { token } = await issuer.mint(LAB, "desk", 300_000);
    const read = await reader.read(token, DESK, time);
    if ("principal" in read) throw new Error(read.why);
    const ended: string[] = [];
    const stop = keys.onEnded((kid) => ended.push(kid));
    await issuer.rotate(LAB, { atOnce: true });
    stop();
    expect(ended).toContain(lab.kid);
    expect(await outcome(token)).toBe("unknown");
    expect(read.holder(DESK, time)).toEqual({ principal: null, why: "revoked" });
    expect(await outcome((await issuer.mint(LAB, "desk", 300_000)).token)).toBe(`agent:${LAB_ID}`);
    lab = await privateKeyOf(LAB);
  });
});

describe("tokens of agents of others", () => {
  it("E6 name the agent by its id alone: it belongs to no tenant of ours", async () => {
    const read = await reader.read(foreign(), DESK, time);
    const answer = "principal" in read ? read : read.holder(DESK, time);
    expect(answer).toMatchObject({
      principal: {
        kind: "agent",
        subject: `agent:${FOREIGN_ID}`,
        tenant: "spiffe://partner.example",
        scopes: ["runs:execute"],
        agent: { spiffeId: FOREIGN_ID },
      },
      expiresAt: (seconds() + 300) * 1000 + 60_000,
    });
  });

  const refusals: [what: string, why: string, token: () => string][] = [
    ["names an agent of ours", "unknown", () => foreign({ payload: { sub: LAB_ID } })],
    ["names one of a third party", "unknown", () => foreign({ payload: { sub: "spiffe://third.example/x" } })],
    ["names a key of ours", "unknown", () => foreign({ header: { kid: lab.kid }, key: lab.key })],
    ["is signed by a stranger", "signature", () => foreign({ key: desk.key })],
    ["is for another agent", "audience", () => foreign({ payload: { aud: LAB_ID } })],
    ["ended longer ago than clocks differ", "expired", () => foreign({ payload: { exp: seconds() - 60 } })],
    ["ends too far ahead", "long-lived", () => foreign({ payload: { exp: seconds() + 3661 } })],
    ["brings its key along", "malformed", () => foreign({ header: { jwk: jwkOf(partner.privateKey) } })],
  ];
  it.each(refusals)("E6 a token that %s is refused: %s", async (_, why, token) => {
    expect(await outcome(token())).toBe(why);
  });

  it("X14 a clock that is a minute off is borne with", async () => {
    expect(await outcome(foreign({ payload: { exp: seconds() - 59, iat: seconds() - 300 } }))).toBe(
      `agent:${FOREIGN_ID}`,
    );
    expect(await outcome(foreign({ payload: { exp: seconds() + 3660, iat: seconds() + 60 } }))).toBe(
      `agent:${FOREIGN_ID}`,
    );
  });

  it("E6 a changed file counts when it is looked at: a new key is believed, one that is gone is not", async () => {
    const token = foreign();
    const read = await reader.read(token, DESK, time);
    if ("principal" in read) throw new Error(read.why);
    const ended: string[] = [];
    const stop = bundles.onEnded((keyId) => ended.push(keyId));
    const next = generateKeyPairSync("ec", { namedCurve: "P-256" });
    publish([partnerJwk(), { ...next.publicKey.export({ format: "jwk" }), kid: "p2" }]);
    await bundles.look();
    expect(await outcome(foreign({ header: { kid: "p2" }, key: next.privateKey }))).toBe(`agent:${FOREIGN_ID}`);
    expect(read.holder(DESK, time).principal).not.toBeNull();
    expect(ended).toEqual([]);
    publish([{ ...next.publicKey.export({ format: "jwk" }), kid: "p2" }]);
    await bundles.look();
    stop();
    expect(await outcome(token)).toBe("unknown");
    expect(read.holder(DESK, time)).toEqual({ principal: null, why: "revoked" });
    expect(ended).toEqual([expect.stringContaining("partner.example#p1#")]);
  });

  it("E6 another key under a known kid is another key", async () => {
    const other = generateKeyPairSync("ec", { namedCurve: "P-256" });
    publish([{ ...other.publicKey.export({ format: "jwk" }), kid: "p1" }]);
    await bundles.look();
    expect(await outcome(foreign())).toBe("signature");
    expect(await outcome(foreign({ key: other.privateKey }))).toBe(`agent:${FOREIGN_ID}`);
  });

  it.each(["", "{", '{"keys":"none"}'])(
    "E6 a file that is broken (%j) leaves the keys as they were, and is told of once",
    async (text) => {
      writeFileSync(bundleFile, text);
      await bundles.look();
      await bundles.look();
      expect(problems).toHaveLength(1);
      expect(await outcome(foreign())).toBe(`agent:${FOREIGN_ID}`);
      rmSync(bundleFile);
      await bundles.look();
      expect(problems.at(-1)).toBe("does not exist");
      expect(await outcome(foreign())).toBe(`agent:${FOREIGN_ID}`);
    },
  );
});

/** The same token with another claim in it, and the signature that it had. */
function changed(token: string, claims: object): string {
  const [head, body, signature] = token.split(".") as [string, string, string];
  const payload = JSON.parse(Buffer.from(body, "base64url").toString());
  return `${head}.${b64(JSON.stringify({ ...payload, ...claims }))}.${signature}`;
}

/** The last character of 64 bytes has bits that no byte needs. */
function otherSpelling(token: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return token.slice(0, -1) + alphabet[(alphabet.indexOf(token.at(-1) as string) & ~0xf) + 1];
}
