import { z } from "zod";

/** Arguments of host tools, with messages that a model can act on. */
const problem = (expected: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? "is required" : `must be ${expected}`;

export const text = (maxLength: number) =>
  z
    .string({ error: problem("a string") })
    .max(maxLength, { error: `must have at most ${maxLength} characters` })
    .regex(/\S/, { error: "must not be empty" });

export const flag = z.boolean({ error: problem("true or false") });

export const milliseconds = (max: number) =>
  z
    .int({ error: problem("a whole number of milliseconds") })
    .min(0, { error: "must not be negative" })
    .max(max, { error: `must be at most ${max}` });

/** Names every argument that is wrong, and the first one as the field. */
export function problemsOf(error: z.ZodError): { message: string; field: string } {
  const problems = error.issues.slice(0, 10).map((issue) => {
    const field = issue.path.map(String).join(".");
    if (issue.code !== "unrecognized_keys") {
      return field === "" ? { field: "arguments", text: "must be an object" } : { field, text: issue.message };
    }
    return {
      field: [field, issue.keys[0] ?? ""].filter((name) => name !== "").join("."),
      text: "is not an argument of this tool",
    };
  });
  return {
    message: problems.map(({ field, text }) => `${field}: ${text}`).join("; "),
    field: problems[0]?.field ?? "arguments",
  };
}
