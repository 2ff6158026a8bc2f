import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from "node:crypto";
import { AgentCard, verifyAgentCardSignature } from "@a2a-js/sdk";
import { describe, expect, it, vi } from "vitest";
import { cardFacts, cardPersona, everything, newCardKeys } from "../../../../test/support/card-facts.js";
import { canonicalJson } from "../../../shared/canonical-json.js";
import type { JsonObject } from "../../../shared/json.js";
import { Cards } from "./cards.js";
import type { CardFacts } from "./facts.js";
import { type CardSignature, noSignatures } from "./signer.js";

interface Jwk {
  kid: string;
  [field: string]: string;
}

/** The card as it is served, and the keys as they are published. */
function signed(facts: CardFacts, asked: string | undefined) {
  const cards = new Cards(facts);
  const card = JSON.parse(cards.of(cardPersona, asked).body) as JsonObject & { signatures: CardSignature[] };
  const { keys } = JSON.parse(cards.keySet?.body ?? "") as { keys: Jwk[] };
  return { card, keys };
}

const headerOf = (signature: CardSignature): Record<string, string> =>
  JSON.parse(Buffer.from(signature.protected, "base64url").toString());

/** Whether one of the signatures is good for this text, by the published key that it names. */
function isSigned(text: string, signatures: readonly CardSignature[], keys: readonly Jwk[]): boolean {
  return signatures.some((one) => {
    const jwk = keys.find(({ kid }) => kid === headerOf(one).kid);
    if (jwk === undefined) return false;
    const key = createPublicKey({ key: jwk, format: "jwk" });
    const input = Buffer.from(`${one.protected}.${Buffer.from(text).toString("base64url")}`);
    return verify("sha256", input, { key, dsaEncoding: "ieee-p1363" }, Buffer.from(one.signature, "base64url"));
  });
}

const officialVerifier = (keys: readonly Jwk[], asked: string[] = []) =>
  verifyAgentCardSignature(async (kid, jku) => {
    asked.push(jku ?? "");
    const key = keys.find((one) => one.kid === kid);
    if (key === undefined) throw new Error("no such key");
    return key;
  });

const shapes: [string | undefined, CardFacts["versions"]][] = [
  ["1.0", ["1.0", "0.3"]],
  [undefined, ["1.0", "0.3"]],
  [undefined, ["1.0"]],
];

describe("signatures of cards", () => {
  it.each(shapes)(
    "E3 pass the official verifier of 1.0: asked with %s where %s are served",
    async (asked, versions) => {
      for (const facts of [cardFacts, everything]) {
        const { card, keys } = signed({ ...facts, versions, keys: newCardKeys() }, asked);
        const jkus: string[] = [];
        // As it came, and as the client hands it over once it has read it: the library does not take the two for the same.
        await officialVerifier(keys, jkus)(card as unknown as AgentCard);
        await officialVerifier(keys)(AgentCard.fromJSON(card));
        expect(jkus[0]).toBe("https://agents.example.com/.well-known/jwks.json");
      }
    },
  );

  it("E3 a card that was changed does not pass", async () => {
    const debug = vi.spyOn(console, "debug").mockImplementation(() => {});
    const { card, keys } = signed({ ...cardFacts, keys: newCardKeys() }, "1.0");
    await expect(officialVerifier(keys)(AgentCard.fromJSON({ ...card, description: "another" }))).rejects.toThrow();
    expect(isSigned(canonicalJson({ ...without(card), description: "another" }), card.signatures, keys)).toBe(false);
    debug.mockRestore();
  });

  it.each([
    [undefined, ["1.0", "0.3"]],
    ["0.3", ["0.3"]],
    ["1.0", ["1.0"]],
  ] as [string | undefined, CardFacts["versions"]][])(
    "E3 whoever knows no more than JSON can verify the whole document: asked with %s where %s are served",
    (asked, versions) => {
      const { card, keys } = signed({ ...everything, versions, keys: newCardKeys() }, asked);
      expect(isSigned(canonicalJson(without(card)), card.signatures, keys)).toBe(true);
    },
  );

  it.each([["1.0", "0.3"], ["0.3"]] as CardFacts["versions"][])(
    "E3 E14 a client of 0.3 whose model knows its own fields alone can verify them: %s %s",
    (...versions) => {
      const { card, keys } = signed({ ...cardFacts, versions, keys: newCardKeys() }, undefined);
      // As the model of the Python client writes it: no field that it does not know, no default, nothing empty.
      const text = canonicalJson({
        additionalInterfaces: card.additionalInterfaces ?? null,
        capabilities: {
          extensions: (card.capabilities as JsonObject).extensions ?? null,
          pushNotifications: true,
          stateTransitionHistory: false,
          streaming: true,
        },
        defaultInputModes: card.defaultInputModes ?? null,
        defaultOutputModes: card.defaultOutputModes ?? null,
        description: "The agent front-desk",
        name: "front-desk",
        securitySchemes: {
          nuncioBearer: { scheme: "Bearer", description: "An API key or a session token of this server" },
        },
        skills: card.skills ?? null,
        supportsAuthenticatedExtendedCard: true,
        url: "https://agents.example.com/v1/agents/front-desk/a2a",
        version: "1.2.3",
      });
      expect(isSigned(text, card.signatures, keys)).toBe(true);
    },
  );

  it("E3 text beyond ASCII can be verified as it stands, and as the Python libraries write it", async () => {
    const cards = new Cards({ ...cardFacts, versions: ["1.0"], keys: newCardKeys() });
    const persona = { ...cardPersona, description: "Grüße 🙂" };
    const card = JSON.parse(cards.of(persona, "1.0").body) as JsonObject & { signatures: CardSignature[] };
    const { keys } = JSON.parse(cards.keySet?.body ?? "") as { keys: Jwk[] };
    await officialVerifier(keys)(AgentCard.fromJSON(card));
    const text = canonicalJson(without(card)).replaceAll("Grüße 🙂", "Gr\\u00fc\\u00dfe \\ud83d\\ude42");
    expect(isSigned(text, card.signatures, keys)).toBe(true);
  });

  it("E3 half of a surrogate pair does not stand in the way, wherever it is", () => {
    const half = "a\ud800b";
    const about = { provider: { organization: half, url: half }, documentationUrl: half, iconUrl: half };
    const security = { ...everything.security, oidc: [{ issuer: half, audience: half, tenant: "default" }] };
    const cards = new Cards({ ...everything, about, security, keys: newCardKeys() });
    const skills = [{ name: "s", description: half, tags: [half] }];
    const { body } = cards.of({ ...cardPersona, description: half, skills }, undefined);
    expect(body.match(/a\ufffdb/g)?.length).toBeGreaterThan(8);
    expect(body).not.toContain("\\ud800");
  });

  it("E3 the header is the one that the specification asks for, and no text is signed twice", () => {
    const { card, keys } = signed({ ...cardFacts, keys: newCardKeys() }, "1.0");
    expect(card.signatures).toHaveLength(2);
    expect(isSigned(canonicalJson(without(card)), card.signatures.slice(1), keys)).toBe(false);
    expect(headerOf(card.signatures[0] as CardSignature)).toEqual({
      alg: "ES256",
      typ: "JOSE",
      kid: keys[0]?.kid,
      jku: "https://agents.example.com/.well-known/jwks.json",
    });
  });

  it("E3 a card that says what it said before has the same bytes, also when all of them are made anew", () => {
    const facts = { ...cardFacts, keys: newCardKeys() };
    const signatures = noSignatures();
    const first = new Cards(facts, signatures).of(cardPersona, "1.0");
    expect(new Cards(facts, signatures).of({ ...cardPersona }, "1.0")).toEqual(first);
    const other = newCardKeys([createPublicKey(facts.keys.signing)]);
    const changed = new Cards({ ...facts, keys: other }, signatures).of(cardPersona, "1.0");
    expect(changed.etag).not.toBe(first.etag);
    expect(new Cards(facts).of(cardPersona, "1.0").etag).not.toBe(first.etag);
  });

  it("E3 the extended card is signed, too", async () => {
    const cards = new Cards({ ...cardFacts, keys: newCardKeys() });
    const { keys } = JSON.parse(cards.keySet?.body ?? "");
    await officialVerifier(keys)(AgentCard.fromJSON(JSON.parse(cards.extended(cardPersona, "1.0", "insider").body)));
  });

  it("X13 after a rotation both keys are published, each once, and no private part of any", async () => {
    const old = newCardKeys();
    const before = signed({ ...cardFacts, keys: old }, "1.0");
    const keys = newCardKeys([createPublicKey(old.signing)]);
    const after = signed(
      { ...cardFacts, keys: { ...keys, published: [...keys.published, publicOf(keys.signing)] } },
      "1.0",
    );
    expect(after.keys).toHaveLength(2);
    for (const key of after.keys)
      expect(Object.keys(key).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
    await officialVerifier(after.keys)(AgentCard.fromJSON(before.card));
    await officialVerifier(after.keys)(AgentCard.fromJSON(after.card));
    expect(headerOf(after.card.signatures[0] as CardSignature).kid).not.toBe(before.keys[0]?.kid);
  });

  it("E3 the name of a key follows from the key, so that a foreign key cannot have the name of ours", () => {
    const kidOf = (signing: KeyObject) =>
      signed({ ...cardFacts, keys: { signing, published: [] } }, "1.0").keys[0]?.kid;
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    expect(kidOf(privateKey)).toBe(kidOf(privateKey));
    expect(kidOf(privateKey)).not.toBe(kidOf(newCardKeys().signing));
  });

  it("without a key there is no signature and no key set", () => {
    const cards = new Cards(cardFacts);
    expect(cards.keySet).toBeUndefined();
    expect(JSON.parse(cards.of(cardPersona, "1.0").body)).not.toHaveProperty("signatures");
  });
});

const publicOf = (key: KeyObject): KeyObject => createPublicKey(key);

function without({ signatures: _, ...card }: JsonObject): JsonObject {
  return card;
}
