import { z } from "zod";
import type { ScriptPart, ScriptRule, ScriptStep } from "../../personas/persona.js";
import { anyText, list, listed, milliseconds, object, text, wholeNumber } from "../fields.js";

/** The name under which a result is found in templates: `{{results.NAME}}`. */
const resultName = () =>
  z
    .string({ error: "use a letter, then at most 63 letters, digits, '_' or '-'" })
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/)
    .optional();

const pattern = () =>
  text("a regular expression", 1000).transform((source, context) => {
    try {
      return new RegExp(source);
    } catch (error) {
      const reason = (error as Error).message.replace(/^.*: /, "");
      context.addIssue({ code: "custom", message: `is not a regular expression: ${reason}; correct it` });
      return z.NEVER;
    }
  });

const contents = ["text", "data", "raw", "url"] as const;

const part = object({
  text: anyText().optional(),
  data: z.unknown().optional(),
  raw: anyText()
    .refine((raw) => raw.includes("{{") || isBase64(raw), { error: "is not base64; encode the bytes" })
    .optional(),
  url: text("a URL", 2048).optional(),
  mediaType: text("a media type such as image/png", 256).optional(),
  filename: text("a file name", 256).optional(),
})
  .superRefine((given, context) => {
    const found = contents.filter((key) => key in given);
    if (found.length !== 1) {
      context.addIssue({ code: "custom", message: `${count(found)}; a part has exactly one of ${listed(contents)}` });
    } else if (("text" in given || "data" in given) && ("mediaType" in given || "filename" in given)) {
      context.addIssue({ code: "custom", message: "mediaType and filename go with raw and url; remove them" });
    }
  })
  .transform((given) => given as ScriptPart);

const send = object({
  to: anyText(256),
  message: anyText(),
  await: z.boolean({ error: "use true or false" }).default(false),
  timeoutMs: milliseconds().optional(),
  as: resultName(),
});

const fail = z.preprocess(
  (given) => (typeof given === "string" ? { text: given } : given),
  object({
    text: anyText(),
    retryable: z.boolean({ error: "use true or false" }).default(false),
    attempts: wholeNumber(1, 20).optional(),
  }),
);

/** One key of these in each step. */
const steps = {
  status: anyText().optional(),
  chunk: anyText().optional(),
  artifact: object({ name: text("a name", 256), parts: list(part).min(1) }).optional(),
  sleep: milliseconds(0).optional(),
  send: send.optional(),
  call: object({ url: text("a URL", 2048), message: anyText(), as: resultName() }).optional(),
  tool: object({
    name: text("the name of a tool", 128),
    with: z.record(z.string(), z.unknown(), { error: "use a map of arguments" }).default({}),
    as: resultName(),
  }).optional(),
  ask: anyText().optional(),
  auth: anyText().optional(),
  approve: anyText().optional(),
  reply: anyText().optional(),
  complete: anyText().optional(),
  message: anyText().optional(),
  fail: fail.optional(),
  reject: anyText().optional(),
  hang: z.literal(true, { error: "use true" }).optional(),
};

const step = object(steps)
  .superRefine((given, context) => {
    const found = Object.keys(given).filter((key) => given[key as keyof typeof given] !== undefined);
    if (found.length === 1) return;
    const right = found.length > 1 ? "write one list item for each step" : `write one of ${listed(Object.keys(steps))}`;
    context.addIssue({ code: "custom", message: `${count(found)}; ${right}` });
  })
  .transform((given) => given as unknown as ScriptStep);

const rule = object({
  when: object({
    text: pattern().optional(),
    messageId: pattern().optional(),
    turn: wholeNumber(1, 1_000_000).optional(),
  }).optional(),
  steps: list(step, 10_000).min(1),
}).transform((given) => given as ScriptRule);

export const script = list(rule);

const count = (found: readonly string[]): string =>
  found.length === 0 ? "nothing is given" : `${found.join(" and ")} stand together`;

function isBase64(candidate: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(candidate);
}
