import { hasDuplicateKeys } from "../../shared/duplicate-keys.js";
import type { JsonObject, JsonValue } from "../../shared/json.js";
import { readTextFile } from "../../shared/text-file.js";
import { readP256Key } from "../jwt/p256-key.js";
import { VerifyingKey } from "../jwt/verifying-key.js";

/** The keys with which the agents of one trust domain sign, by kid. */
export type TrustBundle = ReadonlyMap<string, VerifyingKey>;

export type ReadBundle = { keys: TrustBundle } | { problem: string };

const MAX_BYTES = 262_144;
const MAX_KEYS = 100;
const KID = /^[\x21-\x7e]{1,256}$/;

/** Reads the file in which a trust domain publishes its keys. A problem is a phrase that follows the name of the file. */
export async function readTrustBundle(file: string): Promise<ReadBundle> {
  const read = await readTextFile(file, MAX_BYTES);
  return "problem" in read ? read : parseTrustBundle(read.text);
}

/**
 * A JWK set (RFC 7517, 5), such as a SPIFFE bundle (SPIFFE Trust Domain and Bundle, 4). It is the operator's word for whom to
 * believe, so everything must be right about it: a key that would be left out silently is found missing when it is needed.
 */
export function parseTrustBundle(text: string): ReadBundle {
  const set = parseObject(text);
  if (set === null) return { problem: "is not a JSON object in which every key stands once" };
  if (!Array.isArray(set.keys)) return { problem: "has no list of keys" };
  if (set.keys.length > MAX_KEYS) return { problem: `has more than ${MAX_KEYS} keys` };
  const keys = new Map<string, VerifyingKey>();
  for (const [index, entry] of set.keys.entries()) {
    if (isForCertificates(entry)) continue;
    const key = readKey(entry);
    if ("problem" in key) return { problem: `has a key, number ${index + 1}, that ${key.problem}` };
    if (keys.has(key.kid as string)) return { problem: `has two keys with the kid ${JSON.stringify(key.kid)}` };
    keys.set(key.kid as string, key);
  }
  return { keys };
}

function parseObject(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as JsonValue;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    return hasDuplicateKeys(text) ? null : value;
  } catch {
    return null;
  }
}

/** A SPIFFE bundle has keys of both kinds. */
const isForCertificates = (entry: JsonValue): boolean =>
  typeof entry === "object" && entry !== null && (entry as JsonObject).use === "x509-svid";

function readKey(entry: JsonValue): VerifyingKey | { problem: string } {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return { problem: "is no JWK" };
  const { kid, use, alg, key_ops } = entry;
  if ("d" in entry || "k" in entry) return { problem: "has a private part: take it out, and have its owner renew it" };
  if (typeof kid !== "string" || !KID.test(kid)) return { problem: "has no kid of 1 to 256 visible characters" };
  if (use !== undefined && use !== "jwt-svid" && use !== "sig") return { problem: "is not for signatures of tokens" };
  if (alg !== undefined && alg !== "ES256") return { problem: "is not for ES256" };
  if (key_ops !== undefined && !(Array.isArray(key_ops) && key_ops.includes("verify"))) {
    return { problem: "is not for verifying" };
  }
  const key = readP256Key(entry);
  return key === null ? { problem: "is not a public key on the curve P-256" } : new VerifyingKey(kid, { ...key });
}
