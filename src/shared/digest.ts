import { hash } from "node:crypto";
import { canonicalJson } from "./canonical-json.js";
import type { JsonValue } from "./json.js";

/*
 * Digests that people compare: of files, messages, cards, pins and tokens. They say by what they were made, so that
 * another way to make them can never be taken for this one.
 */

const PREFIX = "sha256:";

/** How a digest is written: `sha256:` and the SHA-256 in lower-case hex. */
export const DIGEST = /^sha256:[0-9a-f]{64}$/;
export const DIGEST_FORM = "must be sha256: with 64 hexadecimal digits";

/** Of the bytes as they are; of text, of its UTF-8. */
export const digestOf = (content: Uint8Array | string): string => asDigest(hash("sha256", content, "hex"));

/**
 * Of a value, however it is spelled: of its canonical form (RFC 8785).
 *
 * @throws Error for what the canonical form cannot say
 */
export const digestOfJson = (value: JsonValue): string => digestOf(canonicalJson(value));

/** A SHA-256 that is there as hex, such as a body hash, as a digest. */
export const asDigest = (hex: string): string => PREFIX + hex;

/** The hex of a digest. */
export const hexOf = (digest: string): string => digest.slice(PREFIX.length);
