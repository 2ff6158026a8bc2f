import { z } from "zod";
import { anyText, httpUrl, list, milliseconds, name, object, oneOf, text } from "../fields.js";

/** It goes into a header: a line break from a key file would otherwise fail at the first call, without a reason. */
const apiKey = () =>
  text("a key", 4096).refine((key) => /^[\x21-\x7e]+$/.test(key), {
    error: "contains spaces, line breaks or other characters that a key cannot have; copy it again",
  });

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
    }),
  ],
  { error: "use type: anthropic, openai-compatible or command" },
);

export const providers = z.record(name(), provider, { error: "use a map of provider names, each with a type" });

export type Provider = z.output<typeof provider>;
