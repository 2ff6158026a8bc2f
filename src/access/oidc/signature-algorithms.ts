import type { JsonObject } from "../../shared/json.js";

/** What a key must be for an algorithm (RFC 7518, 3.1; RFC 8037, 3.1). */
interface KeyShape {
  kty: string;
  crv?: string;
}

/** Algorithms in which whoever verifies cannot sign. Everything else, `none` and those of a shared secret first, is refused. */
const ALGORITHMS: ReadonlyMap<string, KeyShape> = new Map([
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"].map((name): [string, KeyShape] => [name, { kty: "RSA" }]),
  ["ES256", { kty: "EC", crv: "P-256" }],
  ["ES384", { kty: "EC", crv: "P-384" }],
  ["ES512", { kty: "EC", crv: "P-521" }],
  ["EdDSA", { kty: "OKP", crv: "Ed25519" }],
  ["Ed25519", { kty: "OKP", crv: "Ed25519" }],
]);

export const isAlgorithm = (name: unknown): name is string => typeof name === "string" && ALGORITHMS.has(name);

/** Whether a key is one for this algorithm, and for signatures. */
export function isKeyFor(algorithm: string, { kty, crv, alg, use, key_ops }: JsonObject): boolean {
  const shape = ALGORITHMS.get(algorithm);
  if (shape === undefined || kty !== shape.kty || (shape.crv !== undefined && crv !== shape.crv)) return false;
  if (alg !== undefined && alg !== algorithm) return false;
  if (use !== undefined && use !== "sig") return false;
  return key_ops === undefined || (Array.isArray(key_ops) && key_ops.includes("verify"));
}
