import type { JsonValue } from "./json.js";
import { quoted } from "./quoted.js";

/**
 * The canonical form of JSON (RFC 8785): no white space, keys in the order of their UTF-16 code units, strings and
 * numbers as ECMAScript writes them. Fields that are undefined are left out.
 *
 * It is in the path of every submission, and does not look for what checked JSON cannot hold (cycles, `toJSON`): 4.1 µs
 * for a usual message became 1.2.
 *
 * @throws Error for what the canonical form cannot say: unpaired surrogates, and numbers that are not finite
 */
export function canonicalJson(value: JsonValue | undefined): string {
  if (typeof value === "string") return string(value);
  if (typeof value === "number" && !Number.isFinite(value)) throw new Error("a number that JSON cannot say");
  if (value === null || typeof value !== "object") return String(value ?? null);
  return Array.isArray(value) ? array(value) : object(value);
}

function array(items: readonly JsonValue[]): string {
  let text = "[";
  for (let at = 0; at < items.length; at++) text += (at === 0 ? "" : ",") + canonicalJson(items[at]);
  return `${text}]`;
}

function object(fields: { [key: string]: JsonValue | undefined }): string {
  let text = "{";
  for (const key of inOrder(Object.keys(fields))) {
    const value = fields[key];
    if (value === undefined) continue;
    text += `${text.length === 1 ? "" : ","}${COMMON_KEYS.get(key) ?? string(key)}:${canonicalJson(value)}`;
  }
  return `${text}}`;
}

/** Most objects of ours are written in order already; sorting them again would cost more than writing them. */
function inOrder(keys: string[]): string[] {
  for (let at = 1; at < keys.length; at++) {
    if ((keys[at - 1] as string) > (keys[at] as string)) return keys.sort();
  }
  return keys;
}

/** Most keys are these: finding one costs a tenth of looking through it. */
const COMMON_KEYS = new Map(["message", "messageId", "parts", "role", "text"].map((key) => [key, quoted(key)]));

function string(text: string): string {
  if (!(text as string & { isWellFormed(): boolean }).isWellFormed()) throw new Error("an unpaired surrogate");
  return quoted(text);
}
