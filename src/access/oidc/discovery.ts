import { NuncioError } from "../../shared/errors.js";
import type { JsonObject, JsonValue } from "../../shared/json.js";
import { VerifyingKey } from "../jwt/verifying-key.js";
import type { FetchJson } from "./fetch-json.js";

/** Where a provider describes itself (OpenID Connect Discovery 1.0, 4). */
export const discoveryUrl = (issuer: string): string => `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;

const MAX_KEYS = 100;

/**
 * The keys that a provider signs with. Its description must be its own (4.3), or whoever can have us read another one would
 * be believed in its name.
 */
export async function discoverKeys(issuer: string, fetchJson: FetchJson): Promise<VerifyingKey[]> {
  const described = objectOf(await fetchJson(discoveryUrl(issuer)));
  if (described?.issuer !== issuer) throw unusable(issuer, "describes itself as another issuer");
  const { jwks_uri } = described;
  if (typeof jwks_uri !== "string" || !isAsSafeAs(issuer, jwks_uri)) throw unusable(issuer, "names no URL of its keys");
  const set = objectOf(await fetchJson(jwks_uri));
  if (!Array.isArray(set?.keys) || set.keys.length > MAX_KEYS) throw unusable(issuer, "has no list of keys");
  // What we do not understand may be for others (RFC 7517, 5).
  return set.keys.map(objectOf).flatMap((jwk) => (jwk === null ? [] : (publicKey(jwk) ?? [])));
}

const MEMBERS = ["kty", "crv", "x", "y", "n", "e", "alg", "use", "key_ops"];
const KID = /^[\x20-\x7e]{1,256}$/;

/** Its public members and nothing else; null for a shared secret, and for a key whose kid nobody could name. */
function publicKey(jwk: JsonObject): VerifyingKey | null {
  const { kid, kty } = jwk;
  if (typeof kty !== "string" || kty === "oct") return null;
  if (kid !== undefined && (typeof kid !== "string" || !KID.test(kid))) return null;
  return new VerifyingKey(kid, { kty, ...Object.fromEntries(MEMBERS.map((name) => [name, jwk[name]])) });
}

/** Plain http only where the issuer itself is reached so, which the configuration allows on loopback alone. */
function isAsSafeAs(issuer: string, url: string): boolean {
  if (url.length > 2048 || !URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  if (username !== "" || password !== "") return false;
  return protocol === "https:" || (protocol === "http:" && issuer.startsWith("http:"));
}

const objectOf = (value: JsonValue | undefined): JsonObject | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;

const unusable = (issuer: string, what: string): NuncioError =>
  new NuncioError("failed_precondition", `the identity provider ${issuer} ${what}`);
