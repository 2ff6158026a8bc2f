import { hash, randomBytes } from "node:crypto";
import type { ApiKey } from "./access-store.js";

/** 32 random bytes behind it: long enough that a plain SHA-256 is a safe way to keep them. */
const PREFIX: Record<ApiKey["kind"], string> = { key: "nk_", session: "ns_" };

const SHAPE = /^n[ks]_[A-Za-z0-9_-]{43}$/;

/** What may be the name of a key. Without a slash, so that the subjects of two tenants can never be the same text. */
export const KEY_NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$/;

/** A new key, to be shown once, and the hash that is kept of it. */
export function newApiKey(kind: ApiKey["kind"] = "key"): { key: string; hash: string } {
  const key = `${PREFIX[kind]}${randomBytes(32).toString("base64url")}`;
  return { key, hash: hashApiKey(key) };
}

/** SHA-256 of the key, lower-case hex. */
export const hashApiKey = (key: string): string => hash("sha256", key, "hex");

export const isApiKey = (text: string): boolean => SHAPE.test(text);

/**
 * The stable subject of the holder of a key. Names are unique per tenant only, and a public agent is called from many
 * tenants: outside the default one the tenant is part of the subject.
 */
export const userSubject = (tenant: string, name: string): string =>
  tenant === "default" ? `user:${name}` : `user:${tenant}/${name}`;
