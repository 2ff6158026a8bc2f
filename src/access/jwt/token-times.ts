import type { JsonObject, JsonValue } from "../../shared/json.js";

/** By so much may the clock of whoever made a token differ from ours, ms. */
export const CLOCK_SKEW_MS = 60_000;

/** Milliseconds since the epoch. */
export interface TokenTimes {
  expiresAt: number;
  /** Neither to be used nor made before; 0 where the token does not say. */
  notBefore: number;
}

/** The times of a token (RFC 7519, 4.1.4 to 4.1.6): it must say when it ends. Null when one of them is no time. */
export function readTimes({ exp, nbf = 0, iat = 0 }: JsonObject): TokenTimes | null {
  if (!isTime(exp) || !isTime(nbf) || !isTime(iat)) return null;
  return { expiresAt: exp * 1000, notBefore: Math.max(nbf, iat) * 1000 };
}

export interface TimeBounds {
  /** How far the clock of whoever made the token may be off, ms. */
  skewMs: number;
  /** How far ahead a token may end, ms. */
  longestMs: number;
}

/** Why a token is not good at this time; null when it is. */
export function untimely(
  { expiresAt, notBefore }: TokenTimes,
  now: number,
  { skewMs, longestMs }: TimeBounds,
): "expired" | "early" | "long-lived" | null {
  if (expiresAt + skewMs <= now) return "expired";
  if (notBefore > now + CLOCK_SKEW_MS) return "early";
  return expiresAt > now + longestMs + skewMs ? "long-lived" : null;
}

/** Seconds since the epoch, up to the end of the year 9999. */
const isTime = (value: JsonValue | undefined): value is number =>
  typeof value === "number" && value >= 0 && value <= 253_402_300_799;
