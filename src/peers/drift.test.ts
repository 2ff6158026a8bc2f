import { describe, expect, it } from "vitest";
import { cardKeys } from "./card-keys.js";
import { driftOf, driftText, type FoundPeer } from "./drift.js";
import type { Pin } from "./pin.js";
import { cardDigest } from "./pin-digest.js";

const protectedBy = (header: object) => ({
  protected: Buffer.from(JSON.stringify(header)).toString("base64url"),
  signature: "AAAA",
});
const JWK = { kty: "EC", crv: "P-256", x: "x", y: "y" };
const CARD = {
  name: "Reviewer",
  skills: [{ id: "review", tags: ["a", "b"] }],
  signatures: [protectedBy({ alg: "ES256", kid: "one" })],
};

const pin = {
  addresses: ["192.0.2.10"],
  local: false,
  card: CARD,
  cardDigest: cardDigest(CARD),
  cardKeys: cardKeys(CARD),
  credentialDigest: "sha256:a",
} as unknown as Pin;

const found = (rest: Partial<FoundPeer> = {}): FoundPeer => ({
  card: CARD,
  addresses: ["192.0.2.10"],
  credentialDigest: "sha256:a",
  ...rest,
});

describe("a peer as it is found", () => {
  it.each<[string, Partial<FoundPeer>]>([
    ["unchanged", {}],
    [
      "with its fields in another order",
      { card: { skills: [{ tags: ["a", "b"], id: "review" }], signatures: CARD.signatures, name: "Reviewer" } },
    ],
    ["signed again by the same key", { card: { ...CARD, signatures: [{ ...CARD.signatures[0], signature: "BBBB" }] } }],
    ["at none but pinned addresses", { addresses: [] }],
    ["not asked for its card", { card: null }],
  ])("is what was pinned: %s", (_what, rest) => {
    expect(driftOf(pin, found(rest))).toBeNull();
  });

  it.each<[string, Partial<FoundPeer>, object[]]>([
    [
      "another text",
      { card: { ...CARD, name: "Another" } },
      [{ what: "card", path: "name", before: '"Reviewer"', after: '"Another"' }],
    ],
    [
      "a field more",
      { card: { ...CARD, url: "https://evil.example" } },
      [{ what: "card", path: "url", before: null, after: '"https://evil.example"' }],
    ],
    [
      "a field less",
      { card: { skills: CARD.skills, signatures: CARD.signatures } },
      [{ what: "card", path: "name", before: '"Reviewer"', after: null }],
    ],
    [
      "within a list",
      { card: { ...CARD, skills: [{ id: "review", tags: ["a", "c", "d"] }] } },
      [
        { what: "card", path: "skills[0].tags[1]", before: '"b"', after: '"c"' },
        { what: "card", path: "skills[0].tags[2]", before: null, after: '"d"' },
      ],
    ],
    [
      "another type",
      { card: { ...CARD, skills: {} } },
      [{ what: "card", path: "skills", before: '[{"id":"review","tags":["a","b"]}]', after: "{}" }],
    ],
    [
      "another key",
      { card: { ...CARD, signatures: [protectedBy({ alg: "ES256", kid: "two" })] } },
      [{ what: "card_keys", path: null, before: '["alg=ES256 kid=one"]', after: '["alg=ES256 kid=two"]' }],
    ],
    ["no signature any more", { card: { name: CARD.name, skills: CARD.skills } }, [{ what: "card_keys", after: "[]" }]],
    [
      "an address more",
      { addresses: ["192.0.2.10", "192.0.2.11"] },
      [{ what: "addresses", before: '["192.0.2.10"]', after: '["192.0.2.10","192.0.2.11"]' }],
    ],
    ["the address of this machine", { addresses: ["127.0.0.1"] }, [{ what: "addresses" }]],
    [
      "another credential",
      { credentialDigest: "sha256:b", card: null },
      [{ what: "credential", before: '"sha256:a"', after: '"sha256:b"' }],
    ],
  ])("P4 differs from its pin: %s", (_what, rest, differences) => {
    expect(driftOf(pin, found(rest))).toEqual({
      differences: differences.map((each) => expect.objectContaining(each)),
      leftOut: 0,
    });
  });

  it("of a rehearsal is on this machine, by whichever of its addresses", () => {
    expect(
      driftOf({ ...pin, local: true, addresses: ["127.0.0.1"] }, found({ addresses: ["127.0.0.1", "::1"] })),
    ).toBeNull();
    expect(
      driftOf({ ...pin, local: true, addresses: ["127.0.0.1"] }, found({ addresses: ["192.0.2.1"] })),
    ).not.toBeNull();
  });

  it("R5 is told of in a few words, however much it has changed", () => {
    const card = {
      ...CARD,
      name: "x".repeat(100_000),
      ...Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`k${at}`, at])),
    };
    const drift = driftOf(pin, found({ card, addresses: ["192.0.2.11"] }));
    expect(drift?.differences).toHaveLength(50);
    expect(drift?.leftOut).toBe(452);
    expect(JSON.stringify(drift).length).toBeLessThan(10_000);
    expect(drift && driftText(drift)).toBe("addresses, card name, card k0, card k1, card k2 and 497 more");
  });
});

describe("the keys of a card", () => {
  it("are named by algorithm, id and thumbprint, whatever else is in the signature", () => {
    const signatures = [
      protectedBy({ alg: "ES256", kid: "b", jku: "https://a/keys" }),
      protectedBy({ alg: "ES256", kid: "a", jwk: { ...JWK, use: "sig" } }),
      protectedBy({ alg: "ES256", kid: "a", jwk: JWK }),
    ];
    const keys = cardKeys({ signatures });
    expect(keys).toEqual([
      expect.stringMatching(/^alg=ES256 kid=a jwk=[A-Za-z0-9_-]{43}$/),
      "alg=ES256 kid=b jku=https://a/keys",
    ]);
    expect(cardKeys({ signatures: [protectedBy({ alg: "ES256", kid: "a", jwk: { ...JWK, x: "z" } })] })).not.toEqual([
      keys[0],
    ]);
  });

  it.each([undefined, "x", [null], [{}], [{ protected: "%%%" }], [{ protected: "bnVsbA" }], [{ protected: 7 }]])(
    "R5 are none, or unreadable, in %j",
    (signatures) => {
      expect(["", "unreadable"]).toContain(cardKeys({ signatures }).join());
    },
  );
});
