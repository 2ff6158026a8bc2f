import { hash } from "node:crypto";
import { canonicalJson } from "../shared/canonical-json.js";
import type { JsonValue } from "../shared/json.js";

const MAX_SIGNATURES = 32;
const MAX_TEXT = 200;

/**
 * By which keys a card says that it is signed (A2A 1.0, 8.4): algorithm, key id, and the thumbprint (RFC 7638) of a key that
 * stands in the signature itself. Sorted; none of them is verified, they are only compared with what was reviewed.
 */
export function cardKeys(card: Record<string, unknown>): string[] {
  const { signatures } = card;
  if (!Array.isArray(signatures)) return [];
  return [...new Set(signatures.slice(0, MAX_SIGNATURES).map(keyOf))].sort();
}

function keyOf(signature: unknown): string {
  const header = headerOf(signature);
  const facts = ["alg", "kid", "jku"].flatMap((name) => {
    const value = header[name];
    return typeof value === "string" ? [`${name}=${value.slice(0, MAX_TEXT)}`] : [];
  });
  const thumbprint = thumbprintOf(header.jwk);
  if (thumbprint !== null) facts.push(`jwk=${thumbprint}`);
  return facts.length === 0 ? "unreadable" : facts.join(" ");
}

function headerOf(signature: unknown): Record<string, unknown> {
  const text = (signature as { protected?: unknown } | null)?.protected;
  if (typeof text !== "string") return {};
  try {
    const header: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    return typeof header === "object" && header !== null ? (header as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** RFC 7638, 3.2: what makes a key of its type; of an unknown type, all of it. */
function thumbprintOf(jwk: unknown): string | null {
  if (typeof jwk !== "object" || jwk === null || Array.isArray(jwk)) return null;
  const given = jwk as Record<string, unknown>;
  const names = MEMBERS[String(given.kty)];
  const members = names === undefined ? given : Object.fromEntries(names.map((name) => [name, given[name]]));
  try {
    return hash("sha256", canonicalJson(members as JsonValue), "base64url");
  } catch {
    return null;
  }
}

const MEMBERS: Record<string, readonly string[]> = {
  EC: ["crv", "kty", "x", "y"],
  OKP: ["crv", "kty", "x"],
  RSA: ["e", "kty", "n"],
};
