import type { JsonValue } from "../shared/json.js";

/** Where a host tool puts what somebody said: an agent, the caller, a web server. */
const WORDS = ["reply", "answer", "body"];

/** Fields that a result may lack without a mistake in the template. */
const ALWAYS_THERE: ReadonlySet<string> = new Set(["task_id", "context_id", "status", "error", "reason", "asks"]);

/** What was said in a result; undefined when it is no text. */
export function wordsOf(value: JsonValue): string | undefined {
  if (typeof value === "string") return value;
  for (const field of WORDS) {
    const words = fieldOf(value, field);
    if (typeof words === "string") return words;
  }
  return undefined;
}

/** The text of the reply; of a result that is no task and no error, the whole of it as JSON. */
export function textOfResult(value: JsonValue): string {
  const isWithoutWords = fieldOf(value, "task_id") !== undefined || fieldOf(value, "error") !== undefined;
  return wordsOf(value) ?? (isWithoutWords ? "" : JSON.stringify(value));
}

/** A field of a result, however deep; undefined when it has none. */
export function valueAt(value: JsonValue, path: readonly string[]): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const field of path) found = found === undefined ? undefined : fieldOf(found, field);
  const mayBeMissing = path.length === 1 && ALWAYS_THERE.has(path[0] as string);
  return mayBeMissing ? (found ?? "") : found;
}

function fieldOf(value: JsonValue, field: string): JsonValue | undefined {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, field) ? value[field] : undefined;
}
