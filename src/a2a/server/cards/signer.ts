import { createHash, createPublicKey, type KeyObject, sign } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type P256Key, readP256Key, thumbprint } from "../../../access/jwt/p256-key.js";
import type { JsonObject } from "../../../shared/json.js";

/** Keys on the curve P-256. */
export interface CardKeys {
  /** The private key that signs. */
  signing: KeyObject;
  /** Public keys that have signed before, or are to sign next: published, so that what they signed can be verified. */
  published: readonly KeyObject[];
}

/** JWS in the flattened form, its payload left out (RFC 7515, 7.2.2 and appendix F). */
export type CardSignature = { protected: string; signature: string };

/**
 * Signatures by the digest of what was signed. ECDSA gives another one each time: without them a card that is made anew, after
 * a reload for example, would have other bytes and another tag, although it says what it said before.
 */
export type Signatures = LRUCache<string, string>;

/** Some 200 bytes each: enough for all cards of ten thousand agents. */
export const noSignatures = (): Signatures => new LRUCache({ max: 65_536 });

/** Path of the keys below the base URL. */
export const JWKS_PATH = "/.well-known/jwks.json";

/**
 * Signs cards with ES256 (A2A 1.0, 8.4). A key is named by its thumbprint (RFC 7638): two keys cannot have the same name,
 * and nobody can give a name to a key of theirs that is ours.
 */
export class CardSigner {
  /** The key set that the signatures point to: the signing key first. */
  readonly jwks: { keys: JsonObject[] };
  readonly #key: KeyObject;
  readonly #protected: string;
  readonly #signatures: Signatures;

  constructor({ signing, published }: CardKeys, baseUrl: string, signatures: Signatures) {
    const own = publicJwk(createPublicKey(signing));
    const others = published.map(publicJwk).filter(({ kid }) => kid !== own.kid);
    this.jwks = { keys: [own, ...others] };
    this.#key = signing;
    this.#signatures = signatures;
    const header = { alg: "ES256", typ: "JOSE", kid: own.kid, jku: baseUrl + JWKS_PATH };
    this.#protected = base64url(JSON.stringify(header));
  }

  sign(payload: string): CardSignature {
    const input = Buffer.from(`${this.#protected}.${base64url(payload)}`, "ascii");
    const digest = createHash("sha256").update(input).digest("base64");
    let signature = this.#signatures.get(digest);
    if (signature === undefined) {
      signature = sign("sha256", input, { key: this.#key, dsaEncoding: "ieee-p1363" }).toString("base64url");
      this.#signatures.set(digest, signature);
    }
    return { protected: this.#protected, signature };
  }
}

function publicJwk(key: KeyObject): JsonObject & { kid: string } {
  const jwk = readP256Key({ ...key.export({ format: "jwk" }) }) as P256Key;
  return { ...jwk, kid: thumbprint(jwk), alg: "ES256", use: "sig" };
}

const base64url = (text: string): string => Buffer.from(text, "utf8").toString("base64url");
