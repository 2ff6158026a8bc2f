import { isUtf8 } from "node:buffer";
import { hasDuplicateKeys } from "../../shared/duplicate-keys.js";
import type { JsonObject, JsonValue } from "../../shared/json.js";

/** A signed token (RFC 7519 in the compact form of RFC 7515, 7.1) that was read, and is not believed yet. */
export interface Jwt {
  /** As it came. */
  text: string;
  header: JsonObject;
  payload: JsonObject;
}

/** Characters. What identity providers issue stays below it; a server of HTTP takes little more in a header. */
const LONGEST = 8192;

const SHAPE = /^([A-Za-z0-9_-]{2,})\.([A-Za-z0-9_-]{2,})\.([A-Za-z0-9_-]{2,})$/;

/** Whether it is worth reading. */
export const looksLikeJwt = (text: string): boolean => text.length <= LONGEST && SHAPE.test(text);

/**
 * Reads what stands in a token; nothing of it is true before its signature is. Null for everything that two programs might
 * read differently: padding, other spellings of the same bytes, broken UTF-8, keys that appear twice.
 */
export function readJwt(text: string): Jwt | null {
  if (text.length > LONGEST) return null;
  const parts = SHAPE.exec(text);
  if (parts === null) return null;
  const [, head, body, signature] = parts as unknown as [string, string, string, string];
  const header = readPart(head);
  const payload = readPart(body);
  return header === null || payload === null || bytesOf(signature) === null ? null : { text, header, payload };
}

function readPart(part: string): JsonObject | null {
  const bytes = bytesOf(part);
  if (bytes === null || !isUtf8(bytes)) return null;
  const json = bytes.toString("utf8");
  try {
    const value = JSON.parse(json) as JsonValue;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    return hasDuplicateKeys(json) ? null : value;
  } catch {
    return null;
  }
}

/** Null unless it is the one way to write these bytes. */
function bytesOf(base64url: string): Buffer | null {
  const bytes = Buffer.from(base64url, "base64url");
  return bytes.toString("base64url") === base64url ? bytes : null;
}
