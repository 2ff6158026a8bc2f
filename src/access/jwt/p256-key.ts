import { createHash, createPublicKey, generateKeyPairSync } from "node:crypto";

/** The public part of a key of ES256 (RFC 7518, 6.2.1), with nothing else in it. */
export interface P256Key {
  kty: "EC";
  crv: "P-256";
  x: string;
  y: string;
}

/** 32 bytes. */
const COORDINATE = /^[A-Za-z0-9_-]{43}$/;

/** Null when it is no point of the curve. */
export function readP256Key(jwk: { readonly [field: string]: unknown }): P256Key | null {
  const { kty, crv, x, y } = jwk;
  if (kty !== "EC" || crv !== "P-256" || typeof x !== "string" || typeof y !== "string") return null;
  if (!COORDINATE.test(x) || !COORDINATE.test(y)) return null;
  try {
    createPublicKey({ key: { kty, crv, x, y }, format: "jwk" });
    return { kty, crv, x, y };
  } catch {
    return null;
  }
}

/** A key is known by what it is (RFC 7638). */
export const thumbprint = ({ kty, crv, x, y }: P256Key): string =>
  createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");

/** @returns the public part, and the whole key as a JWK, as text */
export function newP256Key(): { publicKey: P256Key; privateKey: string } {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = privateKey.export({ format: "jwk" });
  return { publicKey: readP256Key({ ...jwk }) as P256Key, privateKey: JSON.stringify(jwk) };
}
