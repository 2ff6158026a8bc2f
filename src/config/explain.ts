import type { z } from "zod";
import { type ConfigPath, type ConfigProblem, shorten } from "./config-error.js";
import { nearest } from "./nearest.js";
import type { YamlSource } from "./yaml-source.js";

type Issue = z.core.$ZodIssue;

/** What the schema found, with the value, what is wrong with it, and what would be right: one problem for a place. */
export function explainIssues(issues: readonly Issue[], source: YamlSource): ConfigProblem[] {
  const misspelled = new Set(issues.filter((one) => one.code === "unrecognized_keys").map((one) => String(one.path)));
  const problems = new Map<string, ConfigProblem>();
  for (const issue of issues) {
    // A step whose only key is misspelled has, to the schema, no key as well.
    if (issue.code === "custom" && misspelled.has(String(issue.path))) continue;
    for (const problem of explain(issue, source)) {
      const place = `${problem.line}:${problem.column}:${problem.path}`;
      if (!problems.has(place)) problems.set(place, problem);
    }
  }
  return [...problems.values()];
}

function explain(issue: Issue, source: YamlSource): ConfigProblem[] {
  const path = issue.path as ConfigPath;
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => source.problem([...path, key], unknownKey(key, issue.message.split(", ")), "key"));
  }
  if (issue.code === "invalid_key") {
    const rule = issue.issues[0]?.message ?? issue.message;
    return [source.problem(path, `is not a valid name; ${rule}`, "key")];
  }
  if (issue.code === "invalid_union") {
    const inner = innerIssues(issue);
    if (inner !== undefined) {
      return inner.flatMap((one) => explain({ ...one, path: [...path, ...one.path] } as Issue, source));
    }
  }
  const value = valueAt(source.data, path);
  const shown = source.written(path) ?? show(value, path, source);
  return [source.problem(path, sentence(issue, value, shown))];
}

function unknownKey(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  return near === undefined
    ? `is not a key here; use one of ${known.join(", ")}`
    : `is not a key here; did you mean ${near}?`;
}

/** Of the alternatives, the one that was meant is the one whose inner values are complained about. */
function innerIssues(issue: Extract<Issue, { code: "invalid_union" }>): readonly Issue[] | undefined {
  return issue.errors.find((alternative) =>
    alternative.some((one) => one.path.length > 0 || one.code === "unrecognized_keys"),
  );
}

function sentence(issue: Issue, value: unknown, shown: string): string {
  const right = issue.message;
  if (value === undefined) return `is missing; ${right}`;
  if (value === null) return `is empty; ${right}`;
  if (issue.code === "custom") return shown === "" ? right : `${shown} ${right}`;
  return `${shown === "" ? "" : `${shown} `}${fault(issue, value)}; ${right}`;
}

function fault(issue: Issue, value: unknown): string {
  if (value === "" || (Array.isArray(value) && value.length === 0)) return "is empty";
  switch (issue.code) {
    case "invalid_type":
      return issue.expected === "int" ? "is not whole" : `is ${kindOf(value)}`;
    case "too_small":
    case "too_big":
      if (typeof value === "number") return "is out of bounds";
      return issue.code === "too_big" ? "is too long" : "is too short";
    case "invalid_value":
    case "invalid_union":
      return "is not known here";
    default:
      return "is not valid here";
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number") return Number.isFinite(value) ? "a number" : "not a finite number";
  if (typeof value === "boolean") return "a truth value";
  return typeof value === "string" ? "text" : "a map";
}

/** The value as it may be shown: short, and nothing of it where a secret belongs. Maps and lists are not repeated. */
function show(value: unknown, path: ConfigPath, source: YamlSource): string {
  if (typeof value === "object" || value === undefined || isSecret(path)) return "";
  if (typeof value === "number") return shorten(source.digits(path) ?? String(value));
  return shorten(JSON.stringify(value)).replace(/\/\/[^/@\s"]*@/g, "//…@");
}

function isSecret(path: ConfigPath): boolean {
  const last = path.at(-1);
  return last === "apiKey" || (last === "url" && (path[0] === "channels" || path[0] === "storage"));
}

export function valueAt(data: unknown, path: ConfigPath): unknown {
  let value = data;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}
