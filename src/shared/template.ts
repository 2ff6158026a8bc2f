import { NuncioError } from "./errors.js";
import type { JsonValue } from "./json.js";

/** The value of a name in a template; throws `invalid_argument` for a name that there is not. */
export type LookUp = (name: string) => JsonValue | undefined;

const PLACE = /\{\{([^{}]*)\}\}/g;
const ONLY_PLACE = /^\{\{([^{}]*)\}\}$/;
/** Of what a template grows to; the longest text that comes in is 1 MiB. */
const MAX_LENGTH = 4 * 1024 * 1024;

/** Fills in the `{{name}}`s of a text, in one pass: what is filled in is never looked at again. */
export function fillIn(template: string, lookUp: LookUp): string {
  if (!template.includes("{{")) return template;
  let length = template.length;
  return template.replace(PLACE, (_place, name: string) => {
    const text = asText(lookUp(name.trim()));
    length += text.length;
    if (length > MAX_LENGTH)
      throw new NuncioError("invalid_argument", `a template grows over ${MAX_LENGTH} characters`);
    return text;
  });
}

/**
 * Fills in the strings of a JSON value. A string that is one placeholder and nothing else becomes the value itself, so
 * that `data: "{{input.data}}"` passes data on as data.
 */
export function fillInJson(value: unknown, lookUp: LookUp): JsonValue {
  if (typeof value === "string") {
    const name = ONLY_PLACE.exec(value)?.[1]?.trim();
    return name === undefined ? fillIn(value, lookUp) : (lookUp(name) ?? null);
  }
  if (Array.isArray(value)) return value.map((item) => fillInJson(item, lookUp));
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillInJson(item, lookUp)]));
  }
  return (value ?? null) as JsonValue;
}

/** The names that stand in a text. */
export const namesIn = (template: string): string[] =>
  [...template.matchAll(PLACE)].map(([, name = ""]) => name.trim());

function asText(value: JsonValue | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
