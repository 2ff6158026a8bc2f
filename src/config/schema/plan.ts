import { z } from "zod";
import { anyText, list, milliseconds, name, object, text, wholeNumber } from "../fields.js";

/** Text that is kept and shown: valid Unicode, and no control characters but line breaks and tabs. */
const readable = (what: string, max: number) =>
  text(what, max).refine((value) => !/(?![\n\r\t])[\p{Cc}\p{Surrogate}]/u.test(value), {
    error: "holds control characters; remove them",
  });

const line = (what: string, max: number) =>
  text(what, max).refine((value) => !/[\p{Cc}\p{Surrogate}]/u.test(value), {
    error: "holds line breaks or control characters; use one line",
  });

/** A path in the snapshot, as `git ls-files` prints them. */
const path = () =>
  line("the path of a file in the workspace", 1024).refine(
    (value) => value.split("/").every((part) => part !== "" && part !== "." && part !== ".."),
    { error: "is not a path inside the workspace; use one like src/app.ts" },
  );

const argument = () =>
  anyText(8192).refine((value) => !/[\0\p{Surrogate}]/u.test(value), { error: "holds what no program can be given" });

const step = object({
  id: name(),
  instruction: readable("what is to be done", 32_768),
  files: list(path(), 200).default([]),
  needs: list(name(), 100).default([]),
  persona: name().optional(),
});

const check = object({
  name: line("a name for the check", 100),
  command: line("a program", 1024),
  args: list(argument(), 200).default([]),
  timeoutMs: milliseconds(1, 3_600_000).default(300_000),
});

const NO_CHECKS = "use a list of at least one check: what has to be green before the planned task is complete";

/** A plan file, as it may be written. */
export const planFile = object({
  schema: z.literal(1, { error: "use 1, the one version there is" }),
  title: line("a title", 200),
  steps: list(step, 100).min(1, { error: "use at least one step" }),
  checks: z.array(check, { error: NO_CHECKS }).min(1, { error: NO_CHECKS }).max(50, { error: "use at most 50 checks" }),
  limits: object({
    invocations: wholeNumber(1, 100_000),
    token_units: z.union([z.null(), wholeNumber(1, 1_000_000_000_000)], {
      error: "use a whole number of tokens, or null where nobody counts them, as for peers",
    }),
  }),
  ignore: list(line("a pattern as in .gitignore", 512), 500).default([]),
});

export type PlanSettings = z.output<typeof planFile>;
