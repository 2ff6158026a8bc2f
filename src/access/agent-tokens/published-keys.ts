import type { JsonObject } from "../../shared/json.js";
import type { SigningKey } from "./signing-key.js";

/** A JWK set (RFC 7517, 5), as verifiers of JWTs fetch it. */
export const keySetOf = (keys: readonly SigningKey[]): JsonObject => ({
  keys: keys.map((key) => ({ ...jwkOf(key), use: "sig" })),
});

/** How often whoever has the bundle should look for another one, s. */
const REFRESH_HINT = 300;

/** The same keys as a SPIFFE bundle (SPIFFE Trust Domain and Bundle, 4.1), for the file of a partner. */
export const bundleOf = (keys: readonly SigningKey[]): JsonObject => ({
  spiffe_refresh_hint: REFRESH_HINT,
  keys: keys.map((key) => ({ ...jwkOf(key), use: "jwt-svid" })),
});

const jwkOf = ({ kid, publicKey: { kty, crv, x, y } }: SigningKey): JsonObject => ({
  kty,
  crv,
  x,
  y,
  kid,
  alg: "ES256",
});
