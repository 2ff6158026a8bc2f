import { NuncioError } from "./errors.js";
import type { JsonValue } from "./json.js";

/** The value of a name in a template; throws `invalid_argument` for a name that there is not. */
export type LookUp = (name: string) => JsonValue | undefined;

const PLACE = /\{\{([^{}]*)\}\}/g;
const ONLY_PLACE = /^\{\{([^{}]*)\}\}$/;
/** Of what a template grows to, with all strings of a JSON value together; the longest text that comes in is 1 MiB. */
const MAX_LENGTH = 4 * 1024 * 1024;

/** Fills in the `{{name}}`s of a text, in one pass: what is filled in is never looked at again. */
export const fillIn = (template: string, lookUp: LookUp): string =>
  template.includes("{{") ? filledIn(template, lookUp, new Room()) : template;

function filledIn(template: string, lookUp: LookUp, room: Room): string {
  room.take(template.length);
  return template.replace(PLACE, (_place, name: string) => {
    const text = asText(lookUp(name.trim()));
    room.take(text.length);
    return text;
  });
}

/** A caller's text may stand in a template a thousand times. */
class Room {
  #left = MAX_LENGTH;

  take(characters: number): void {
    this.#left -= characters;
    if (this.#left >= 0) return;
    throw new NuncioError("invalid_argument", `a template grows over ${MAX_LENGTH} characters`);
  }
}

/**
 * Fills in the strings of a JSON value. A string that is one placeholder and nothing else becomes the value itself, so
 * that `data: "{{input.data}}"` passes data on as data.
 */
export const fillInJson = (value: unknown, lookUp: LookUp): JsonValue => filledInJson(value, lookUp, new Room());

function filledInJson(value: unknown, lookUp: LookUp, room: Room): JsonValue {
  if (typeof value === "string") {
    const name = ONLY_PLACE.exec(value)?.[1]?.trim();
    if (name === undefined) return value.includes("{{") ? filledIn(value, lookUp, room) : value;
    const found = lookUp(name) ?? null;
    room.take(asText(found).length);
    return found;
  }
  if (Array.isArray(value)) return value.map((item) => filledInJson(item, lookUp, room));
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filledInJson(item, lookUp, room)]));
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
