import type { z } from "zod";

/** What is wrong with a request, as a person says it: this is what the command line prints behind the field's name. */
export function inPlainWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${issue.values.join(" or ")}`;
    case "too_big":
      return `must ${bounded(issue.origin, `at most ${issue.maximum}`)}`;
    case "too_small":
      return issue.minimum === 1 && COUNTED[issue.origin] !== undefined
        ? "must not be empty"
        : `must ${bounded(issue.origin, `at least ${issue.minimum}`)}`;
    default:
      return undefined;
  }
}

const KINDS: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

const COUNTED: Record<string, string> = { string: "characters", array: "entries" };

const bounded = (origin: string, bound: string): string =>
  COUNTED[origin] === undefined ? `be ${bound}` : `have ${bound} ${COUNTED[origin]}`;
