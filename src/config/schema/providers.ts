import { z } from "zod";
import { anyText, httpUrl, list, milliseconds, name, object, oneOf, text, wholeNumber } from "../fields.js";

/** It goes into a header: a line break from a key file would otherwise fail at the first call, without a reason. */
const apiKey = () =>
  text("a key", 4096).refine((key) => /^[\x21-\x7e]+$/.test(key), {
    error: "contains spaces, line breaks or other characters that a key cannot have; copy it again",
  });

const variable = () =>
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: "use the name of an environment variable such as LANG" });

export const provider = z.discriminatedUnion(
  "type",
  [
    /** Without apiKey the environment's ANTHROPIC_API_KEY is read at first use. */
    object({ type: z.literal("anthropic"), apiKey: apiKey().optional(), baseURL: httpUrl().optional() }),
    object({ type: z.literal("openai-compatible"), baseURL: httpUrl(), apiKey: apiKey().optional() }),
    object({
      type: z.literal("command"),
      /** A name that is looked up in PATH, or a path. */
      command: text("the name or path of a program"),
      args: list(anyText(65_536)).default([]),
      timeoutMs: milliseconds().default(600_000),
      promptAs: oneOf("stdin", "argument").default("stdin"),
      /** Set for the program on top of the few variables that it gets of the daemon's. */
      env: z.record(variable(), anyText(65_536), { error: "use a map of environment variables" }).default({}),
      cwd: text("the path of a directory").optional(),
      maxOutputBytes: wholeNumber(1, 1_073_741_824).default(1_048_576),
    }),
  ],
  { error: "use type: anthropic, openai-compatible or command" },
);

export const providers = z.record(name(), provider, { error: "use a map of provider names, each with a type" });

export type Provider = z.output<typeof provider>;
