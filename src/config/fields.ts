import { z } from "zod";

/**
 * The building blocks of the schema. The message of every issue says what would be right; the value and what is wrong
 * with it are put before it where the place is known (explain.ts). A custom check says both: "is not …; use …".
 */
export const wholeNumber = (min: number, max: number) =>
  z
    .number({ error: () => `use a whole number from ${min} to ${max}` })
    .int()
    .min(min)
    .max(max);

export const milliseconds = (min = 1, max = 86_400_000) =>
  z
    .number({ error: () => `use whole milliseconds from ${min} to ${max}` })
    .int()
    .min(min)
    .max(max);

export const port = () => wholeNumber(0, 65_535);

export const flag = () => z.boolean({ error: "use true or false" });

/** Text that means something: not empty. */
export const text = (what = "text", max = 4096) =>
  z
    .string({ error: `use ${what} of 1 to ${max} characters` })
    .min(1)
    .max(max);

/** Text that is passed on as it is, also when it is empty. */
export const anyText = (max = 262_144) => z.string({ error: `use text of at most ${max} characters` }).max(max);

export const oneOf = <const T extends readonly [string, ...string[]]>(...values: T) =>
  z.enum(values, { error: `use ${listed(values)}` });

/** A name that stands in paths, labels and URLs as it is. */
export const name = () =>
  z
    .string({ error: "use 1 to 64 letters, digits, '.', '_' or '-', a letter or digit first and last" })
    .regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/);

export const list = <T extends z.ZodType>(item: T, max = 1000) =>
  z.array(item, { error: "use a list" }).max(max, { error: `use at most ${max} items` });

/** A map with these keys and no others. For unknown keys the message lists the known ones: explain.ts picks the nearest. */
export const object = <S extends z.ZodRawShape>(shape: S) => {
  const keys = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? keys.join(", ") : `use a map with the keys ${keys.join(", ")}`,
  });
};

/** An absolute http or https URL without user, query and fragment; a slash at the end is dropped. */
export const httpUrl = () =>
  text("an http:// or https:// URL", 2048)
    .refine(isHttpUrl, { error: "is not a plain URL; use http:// or https:// with a host, without user, ? and #" })
    .transform((url) => url.replace(/\/+$/, ""));

function isHttpUrl(candidate: string): boolean {
  if (!/^https?:\/\//i.test(candidate) || /[\s\p{Cc}]/u.test(candidate) || !URL.canParse(candidate)) return false;
  const { username, password, search, hash } = new URL(candidate);
  return username === "" && password === "" && search === "" && hash === "" && !/[?#]/.test(candidate);
}

/** `a, b or c` */
export function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join();
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
