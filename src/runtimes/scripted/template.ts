import { NuncioError } from "../../shared/errors.js";
import type { JsonValue } from "../../shared/json.js";

/** What `{{…}}` can name. */
export interface TemplateScope {
  text: string;
  data: JsonValue | undefined;
  turn: number;
  attempt: number;
  /** Values of earlier steps with `as`. */
  results: ReadonlyMap<string, JsonValue>;
}

const PLACE = /\{\{([^{}]*)\}\}/g;
const ONLY_PLACE = /^\{\{([^{}]*)\}\}$/;
/** Of what a template grows to; the longest text that comes in is 1 MiB. */
const MAX_LENGTH = 4 * 1024 * 1024;

/**
 * Fills in a template, in one pass: what is filled in is never looked at again. An unknown name is an
 * `invalid_argument`, which fails the run.
 */
export function expand(template: string, scope: TemplateScope): string {
  if (!template.includes("{{")) return template;
  let length = template.length;
  return template.replace(PLACE, (_place, name: string) => {
    const text = asText(lookUp(name.trim(), scope));
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
export function expandJson(value: unknown, scope: TemplateScope): JsonValue {
  if (typeof value === "string") {
    const name = ONLY_PLACE.exec(value)?.[1]?.trim();
    return name === undefined ? expand(value, scope) : (lookUp(name, scope) ?? null);
  }
  if (Array.isArray(value)) return value.map((item) => expandJson(item, scope));
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expandJson(item, scope)]));
  }
  return (value ?? null) as JsonValue;
}

function lookUp(name: string, scope: TemplateScope): JsonValue | undefined {
  switch (name) {
    case "input.text":
      return scope.text;
    case "input.data":
      return scope.data;
    case "turn":
      return scope.turn;
    case "attempt":
      return scope.attempt;
  }
  const [area, result, field, ...rest] = name.split(".");
  if (area === "results" && result !== undefined && rest.length === 0) {
    const value = scope.results.get(result);
    if (value === undefined) {
      throw new NuncioError("invalid_argument", `template {{${name}}}: no step before it has "as: ${result}"`);
    }
    if (field === undefined) return textOfResult(value);
    const content = fieldOf(value, field);
    if (content !== undefined) return content;
    if (ALWAYS_THERE.has(field)) return "";
  }
  throw new NuncioError("invalid_argument", `template {{${name.slice(0, 100)}}}: there is no such name`);
}

/** Fields that a result may lack without a mistake in the script. */
const ALWAYS_THERE: ReadonlySet<string> = new Set(["task_id", "status", "error"]);

/** The text of the reply; of a result that is no task and no error, the whole of it as JSON. */
function textOfResult(value: JsonValue): JsonValue {
  if (typeof value === "string") return value;
  for (const field of ["reply", "answer"]) {
    const text = fieldOf(value, field);
    if (text !== undefined) return text;
  }
  return fieldOf(value, "task_id") === undefined && fieldOf(value, "error") === undefined ? JSON.stringify(value) : "";
}

function fieldOf(value: JsonValue, field: string): JsonValue | undefined {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, field) ? value[field] : undefined;
}

function asText(value: JsonValue | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
