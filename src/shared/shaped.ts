import { z } from "zod";

/** What is wrong with a value comes back as the path of the field, and a phrase that follows it. */
export type Shaped<T> = { value: T } | { field: string; problem: string };

/** A value as the schema wants it, or the first thing that is wrong with it. No value is in what is said. */
export function shaped<T>(schema: z.ZodType<T>, value: unknown): Shaped<T> {
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data };
  const [issue] = result.error.issues as [z.core.$ZodIssue];
  const at = z.core.toDotPath(issue.path);
  if (issue.code !== "unrecognized_keys") {
    const missing = issue.code === "invalid_type" && isMissing(value, issue.path);
    return { field: at, problem: missing ? "is missing" : issue.message };
  }
  const key = (issue.keys[0] ?? "").slice(0, 40);
  return { field: at === "" ? key : `${at}.${key}`, problem: "is not a field that is known" };
}

function isMissing(value: unknown, path: readonly PropertyKey[]): boolean {
  let at = value;
  for (const key of path) at = (at as Record<PropertyKey, unknown> | null | undefined)?.[key];
  return at === undefined;
}
