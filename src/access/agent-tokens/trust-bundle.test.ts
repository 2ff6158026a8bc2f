import { generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTrustBundle } from "./trust-bundle.js";

const p256 = (over: object = {}) => ({
  ...generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" }),
  kid: "k1",
  ...over,
});
const parsed = (...keys: unknown[]) => parseTrustBundle(JSON.stringify({ keys }));
const problem = (read: ReturnType<typeof parseTrustBundle>) =>
  "problem" in read ? read.problem : [...read.keys.keys()];

describe("trust bundles", () => {
  it("E6 are JWK sets, also in the form of SPIFFE, whose keys for certificates are passed over", () => {
    const certificates = { kty: "RSA", use: "x509-svid", x5c: ["certificate"], n: "AAAA", e: "AAAA" };
    const text = JSON.stringify({
      spiffe_sequence: 7,
      spiffe_refresh_hint: 300,
      keys: [
        p256({ use: "jwt-svid" }),
        certificates,
        p256({ kid: "k2", use: "sig", alg: "ES256", key_ops: ["verify"] }),
      ],
    });
    expect(problem(parseTrustBundle(text))).toEqual(["k1", "k2"]);
    expect(problem(parsed())).toEqual([]);
  });

  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ format: "jwk" });
  const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).publicKey.export({ format: "jwk" });
  const whole = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
  const refusals: [what: string, why: RegExp, text: string][] = [
    ["nothing", /JSON/, ""],
    ["a list", /JSON/, "[]"],
    ["a PEM", /JSON/, "-----BEGIN PUBLIC KEY-----"],
    ["a key that stands twice", /once/, '{"keys":[],"keys":[]}'],
    [
      "a member of a key that stands twice",
      /once/,
      `{"keys":[${JSON.stringify(p256()).replace("}", ',"kid":"k9"}')}]}`,
    ],
    ["no keys", /no list of keys/, "{}"],
    ["keys that are no list", /no list of keys/, '{"keys":{"k1":{}}}'],
    ["too many keys", /more than 100 keys/, JSON.stringify({ keys: Array.from({ length: 101 }, () => ({})) })],
    ["a key that is none", /number 1, that is no JWK/, JSON.stringify({ keys: [null] })],
    ["a private key", /private part/, JSON.stringify({ keys: [{ ...whole, kid: "k1" }] })],
    ["a shared secret", /private part/, JSON.stringify({ keys: [{ kty: "oct", k: "AAAA", kid: "k1" }] })],
    ["a key without kid", /no kid/, JSON.stringify({ keys: [p256({ kid: undefined })] })],
    ["a key with an empty kid", /no kid/, JSON.stringify({ keys: [p256({ kid: "" })] })],
    ["a kid with a line break", /no kid/, JSON.stringify({ keys: [p256({ kid: "a\nb" })] })],
    ["two keys of one kid", /two keys with the kid "k1"/, JSON.stringify({ keys: [p256(), p256()] })],
    ["a key for encryption", /not for signatures/, JSON.stringify({ keys: [p256({ use: "enc" })] })],
    ["a key for another algorithm", /not for ES256/, JSON.stringify({ keys: [p256({ alg: "ES384" })] })],
    ["a key for deriving", /not for verifying/, JSON.stringify({ keys: [p256({ key_ops: ["deriveBits"] })] })],
    ["a key of RSA", /number 2, .* P-256/, JSON.stringify({ keys: [p256({ kid: "k0" }), { ...rsa, kid: "k1" }] })],
    ["a key on another curve", /P-256/, JSON.stringify({ keys: [{ ...p384, kid: "k1" }] })],
    ["a point that is not on the curve", /P-256/, JSON.stringify({ keys: [p256({ y: "A".repeat(43) })] })],
    ["a coordinate that is too short", /P-256/, JSON.stringify({ keys: [p256({ x: "AAAA" })] })],
  ];
  it.each(refusals)("E6 with %s are refused", (_, why, text) => {
    expect(problem(parseTrustBundle(text))).toMatch(why);
  });

  it("R5 whatever a file holds, it is read or refused", () => {
    const member = fc.oneof(fc.jsonValue(), fc.constantFrom("EC", "P-256", "sig", "k1", "A".repeat(43)));
    const key = fc.dictionary(fc.constantFrom("kty", "crv", "x", "y", "kid", "use", "alg", "d"), member);
    const anything = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.json(),
      fc.array(key).map((keys) => JSON.stringify({ keys })),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const read = parseTrustBundle(text);
        expect("problem" in read ? read.problem : read.keys).toBeDefined();
      }),
      { numRuns: 300 },
    );
  });
});
