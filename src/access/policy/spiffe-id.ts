/** An id of a workload (SPIFFE-ID, 2). */
export interface SpiffeId {
  trustDomain: string;
  /** With its slash at the beginning; empty for the trust domain itself. */
  path: string;
}

const LONGEST = 2048;
const TRUST_DOMAIN = /^[a-z0-9._-]{1,255}$/;
const SEGMENT = /^[A-Za-z0-9._-]+$/;

/** Null for anything that is not one to the letter: no port, no user, no escapes, no empty segments, no `.` and `..`. */
export function parseSpiffeId(text: string): SpiffeId | null {
  if (text.length > LONGEST || !text.startsWith("spiffe://")) return null;
  const [trustDomain = "", ...segments] = text.slice("spiffe://".length).split("/");
  if (!TRUST_DOMAIN.test(trustDomain)) return null;
  if (!segments.every((segment) => SEGMENT.test(segment) && segment !== "." && segment !== "..")) return null;
  return { trustDomain, path: segments.map((segment) => `/${segment}`).join("") };
}
