import { describe, expect, it } from "vitest";
import { z } from "zod";
import { inPlainWords } from "./plain-words.js";

describe("what is wrong with a request", () => {
  it.each<[z.ZodType, unknown, string]>([
    [z.enum(["waiting", "done"]), "foo", "must be waiting or done"],
    [z.string(), undefined, "is missing"],
    [z.string(), 1, "must be text"],
    [z.boolean(), "yes", "must be true or false"],
    [z.number().int(), 1.5, "must be a whole number"],
    [z.coerce.number().int().max(1000), "1001", "must be at most 1000"],
    [z.number().min(1), 0, "must be at least 1"],
    [z.string().min(1), "", "must not be empty"],
    [z.string().max(2), "abc", "must have at most 2 characters"],
    [z.array(z.string()).max(1), ["a", "b"], "must have at most 1 entries"],
    [z.string().regex(/a/, "must have an a"), "b", "must have an a"],
  ])("%#: is said in words", (schema, value, said) => {
    expect(schema.safeParse(value, { error: inPlainWords }).error?.issues[0]?.message).toBe(said);
  });
});
