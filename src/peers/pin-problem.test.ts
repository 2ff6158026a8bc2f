import { describe, expect, it } from "vitest";
import { makePin, type Reviewed } from "./make-pin.js";
import type { Pin } from "./pin.js";
import { cardDigest, pinDigest } from "./pin-digest.js";
import { parseRegistry } from "./registry-file.js";

const ENDPOINT = "https://reviewer.example/a2a";

const CARD = {
  name: "Reviewer",
  description: "Reviews",
  version: "1",
  capabilities: { streaming: true },
  supportedInterfaces: [
    { url: ENDPOINT, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    { url: ENDPOINT, protocolBinding: "JSONRPC", protocolVersion: "0.3" },
    { url: ENDPOINT, protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: "acme" },
  ],
  skills: [{ id: "review", name: "Review", description: "", tags: [] }],
};

const reviewed = (rest: Partial<Reviewed> = {}): Reviewed => ({
  peer: "reviewer",
  endpoint: ENDPOINT,
  cardUrl: "https://reviewer.example/.well-known/agent-card.json",
  addresses: ["192.0.2.10"],
  local: false,
  card: CARD,
  skill: "review",
  tenant: "acme",
  files: ["src/app.ts"],
  supports: { cancel: false, streaming: true },
  retention: "unknown",
  credentialFile: "/peers/reviewer.json",
  credentialDigest: `sha256:${"a".repeat(64)}`,
  slots: 1,
  pinnedAt: "2026-11-30T12:00:00.000Z",
  ...rest,
});

const pin = (rest: Partial<Pin> = {}): Pin => ({ ...makePin(reviewed()), ...rest });
const cardWith = (rest: object): Reviewed["card"] => ({ ...CARD, ...rest });
const oneInterface = (rest: object) =>
  cardWith({ supportedInterfaces: [{ url: ENDPOINT, protocolBinding: "JSONRPC", protocolVersion: "1.0", ...rest }] });

describe("what was reviewed", () => {
  it("P3 becomes a pin, with the digest and the keys of the card", () => {
    const made = pin();
    expect(made).toMatchObject({ schema: 1, ...reviewed(), cardDigest: cardDigest(CARD), cardKeys: [] });
    expect(parseRegistry({ schema: 1, peers: [made] })).toEqual([made]);
  });

  it.each<[string, string, Partial<Reviewed>]>([
    ["a skill that the card does not have", 'skill: is not in the card, which has "review"', { skill: "build" }],
    [
      "an endpoint of no interface",
      "endpoint: is not that of a 1.0 JSONRPC interface",
      { endpoint: "https://reviewer.example/a2b" },
    ],
    ["a slash too many", "endpoint: is not that of", { endpoint: `${ENDPOINT}/` }],
    [
      "an interface of 0.3 alone",
      "endpoint: is not that of",
      { card: oneInterface({ protocolVersion: "0.3.0" }), tenant: null },
    ],
    [
      "an interface of a later version",
      "endpoint: is not that of",
      { card: oneInterface({ protocolVersion: "1.1" }), tenant: null },
    ],
    [
      "an interface over another binding",
      "endpoint: is not that of",
      { card: oneInterface({ protocolBinding: "GRPC" }), tenant: null },
    ],
    [
      "a 0.3 card",
      "endpoint: is not that of",
      { card: { name: "x", url: ENDPOINT, protocolVersion: "0.3.0", skills: CARD.skills }, tenant: null },
    ],
    [
      "a tenant that the interface does not declare",
      'tenant: must be that of the interface, which declares "acme"',
      { tenant: "other" },
    ],
    ["no tenant where the interface declares one", 'declares "acme"', { tenant: null }],
    ["a tenant where the interface declares none", "which declares none", { card: oneInterface({}), tenant: "acme" }],
    [
      "streams that the card does not offer",
      "supports.streaming: is not what the card says",
      { card: cardWith({ capabilities: {} }) },
    ],
    ["plain http", "endpoint: the URL must begin with https://", { endpoint: "http://reviewer.example/a2a" }],
    [
      "a card over plain http",
      "cardUrl: the URL must begin with https://",
      { cardUrl: "http://reviewer.example/card" },
    ],
    [
      "a password in the URL",
      "endpoint: the URL must not contain a user name",
      { endpoint: "https://a:b@reviewer.example/a2a" },
    ],
    ["a fragment", "endpoint: must have no fragment", { endpoint: `${ENDPOINT}#x` }],
    ["another scheme", "cardUrl: the URL must begin with", { cardUrl: "file:///etc/passwd" }],
    ["no address", "addresses: no address is pinned", { addresses: [] }],
    [
      "an address that is none",
      "addresses: reviewer.example is not an IP address",
      { addresses: ["reviewer.example"] },
    ],
    ["an address twice", "addresses: names one twice", { addresses: ["192.0.2.10", "192.0.2.10"] }],
    ["metadata", "addresses: 169.254.169.254 is link-local", { addresses: ["169.254.169.254"] }],
    ["loopback", "addresses: 127.0.0.1 is this machine", { addresses: ["127.0.0.1"] }],
    ["a rehearsal elsewhere", "addresses: 192.0.2.10 is not this machine", { local: true }],
    ["a path out of the workspace", 'files: "../secret" is not a plain path', { files: ["../secret"] }],
    ["an absolute path", "files:", { files: ["/etc/passwd"] }],
    ["a path with a way out in it", "files:", { files: ["src/../../x"] }],
    ["a path of another spelling", "files:", { files: ["./src/app.ts"] }],
    ["a directory", "files:", { files: ["src/"] }],
    ["a path of Windows", "files:", { files: ["src\\app.ts"] }],
    ["a control character", "files:", { files: ["a\nb"] }],
    ["a file twice", "files: names one twice", { files: ["a", "a"] }],
    ["a relative credential file", "credentialFile: must be an absolute path", { credentialFile: "reviewer.json" }],
    ["too many slots", "slots: must be at most 100", { slots: 101 }],
    ["no slot", "slots: must be at least 1", { slots: 0 }],
    ["a name that is none", "peer: must be 1 to 64", { peer: "../x" }],
    ["a retention that is none", "retention: must be volatile, durable or unknown", { retention: "long" as "unknown" }],
    ["a card that is none", "card: is no card that can be read", { card: { supportedInterfaces: [7] } }],
    [
      "a card without a canonical form",
      "card: holds what JSON has no canonical form for",
      { card: cardWith({ name: "\ud800" }) },
    ],
  ])("P3 P4 R4 is refused: %s", (_what, message, rest) => {
    expect(() => makePin(reviewed(rest))).toThrow(message);
  });

  it("P3 writes an address in its usual spelling", () => {
    expect(makePin(reviewed({ addresses: ["2606:4700:0::AB"] })).addresses).toEqual(["2606:4700::ab"]);
  });
});

describe("the registry of peers", () => {
  const registry = (...peers: unknown[]) => parseRegistry({ schema: 1, peers });
  const second = (rest: Partial<Pin> = {}) =>
    pin({ peer: "other", credentialDigest: `sha256:${"b".repeat(64)}`, ...rest });

  it("P5 has any number of peers, none included", () => {
    expect(registry()).toEqual([]);
    expect(registry(pin(), second())).toHaveLength(2);
  });

  it.each<[string, string, unknown]>([
    ["", "must be an object", []],
    ["schema", "must be 1", { schema: 2, peers: [] }],
    ["peers", "must be a list of pins", { schema: 1, peers: {} }],
    ["peers", "has more than 100 pins", { schema: 1, peers: Array(101).fill({}) }],
    ["note", "is not a field that is known", { schema: 1, peers: [], note: "x" }],
    ["peers[0]", "must be a pin", { schema: 1, peers: ["REPLACE_WITH_THE_REVIEWED_PIN_OBJECT"] }],
    ["peers[0].token", "is not a field that is known", { schema: 1, peers: [{ ...pin(), token: "x" }] }],
    [
      "peers[0].supports.push",
      "is not a field that is known",
      { schema: 1, peers: [pin({ supports: { cancel: true, streaming: true, push: true } as Pin["supports"] })] },
    ],
    ["peers[0].endpoint", "is missing", { schema: 1, peers: [pin({ endpoint: undefined as unknown as string })] }],
    [
      "peers[0].cardDigest",
      "is not that of the card in the pin",
      { schema: 1, peers: [pin({ cardDigest: `sha256:${"0".repeat(64)}` })] },
    ],
    ["peers[0].cardKeys", "are not those of the card in the pin", { schema: 1, peers: [pin({ cardKeys: ["kid=a"] })] }],
    ["peers[0].files", "is not a plain path", { schema: 1, peers: [pin({ files: ["../x"] })] }],
    [
      "peers[0].addresses",
      "169.254.169.254 is link-local",
      { schema: 1, peers: [pin({ addresses: ["169.254.169.254"] })] },
    ],
    ["peers[1].peer", "reviewer is there twice", { schema: 1, peers: [pin(), second({ peer: "reviewer" })] }],
    [
      "peers[1].credentialDigest",
      "is that of reviewer, too",
      { schema: 1, peers: [pin(), second({ credentialDigest: pin().credentialDigest })] },
    ],
  ])("P1 P5 is refused as a whole: %s %s", (field, problem, value) => {
    expect(parseRegistry(value)).toEqual({ field, problem: expect.stringContaining(problem) });
  });

  it("R5 whatever it holds, it is taken or refused, and never takes long", () => {
    const random = generator(20_261_130);
    let taken = 0;
    for (let round = 0; round < 500; round++) {
      const value = structuredClone({ schema: 1, peers: [pin()] }) as object;
      for (let change = Math.floor(random() * 3); change >= 0; change--) mutate(value, random);
      const parsed = parseRegistry(value);
      if (Array.isArray(parsed)) taken += 1;
      else expect(parsed).toEqual({ field: expect.any(String), problem: expect.any(String) });
    }
    // A changed name, file or slot is another pin that may be taken; most changes are refused.
    expect(taken).toBeLessThan(250);
  });
});

describe("the digest", () => {
  it("P3 of a card is that of its canonical form: another order and other signatures are the same card", () => {
    const { name, ...rest } = CARD;
    expect(cardDigest({ ...rest, name, signatures: [{ protected: "e30", signature: "x" }] })).toBe(cardDigest(CARD));
    expect(cardDigest(cardWith({ name: "reviewer" }))).not.toBe(cardDigest(CARD));
  });

  it("P3 of a pin changes with each of its fields", () => {
    const digests = [pin(), pin({ slots: 2 }), pin({ files: [] }), pin({ pinnedAt: "2026-11-30T12:00:01.000Z" })].map(
      pinDigest,
    );
    expect(new Set(digests).size).toBe(4);
    expect(digests[0]).toMatch(/^sha256:[0-9a-f]{64}$/);
  });
});

/** Mulberry32. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const JUNK: unknown[] = [
  ...[null, true, 0, -1, 1e308, "", "x", "\ud800", "\u0000", "a".repeat(5000), [], {}, [[[[]]]]],
  ...[
    "https://169.254.169.254/",
    "http://[::1]/",
    "::1",
    "0x7f.1",
    "sha256:",
    JSON.parse('{"__proto__":{"schema":1}}'),
  ],
];

function mutate(root: object, random: () => number): void {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  let at = root as Record<string, unknown>;
  for (;;) {
    const keys = Object.keys(at);
    const key = keys.length === 0 ? "x" : pick(keys);
    const inner = at[key];
    if (typeof inner === "object" && inner !== null && random() < 0.75) {
      at = inner as Record<string, unknown>;
      continue;
    }
    const how = random();
    if (how < 0.2) delete at[key];
    else if (how < 0.4) at[`${key}x`] = pick(JUNK);
    else at[key] = pick(JUNK);
    return;
  }
}
