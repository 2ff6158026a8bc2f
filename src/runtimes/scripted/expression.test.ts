import { expect, it } from "vitest";
import { matches } from "./expression.js";

it("an expression says whether it matches", () => {
  expect(matches(/^report on (.+)/, "report on cats")).toBe(true);
  expect(matches(/^report on (.+)/, "tell me")).toBe(false);
  const sticky = /cat/g;
  expect([matches(sticky, "cat"), matches(sticky, "cat")]).toEqual([true, true]);
});

it.each([
  ["nested quantifiers", /^(a+)+$/, `${"a".repeat(5000)}b`],
  ["alternatives that overlap", /^(a|aa)+$/, `${"a".repeat(5000)}b`],
  ["a look-ahead in front", /^(?=a)(a+)+$/, `${"a".repeat(5000)}b`],
  ["many quantifiers in a row", /(.*a){12}c/, "a".repeat(5000)],
])("an expression that would take for ever is interrupted: %s", (_name, expression, text) => {
  expect(() => matches(expression, text)).toThrow(
    expect.objectContaining({ code: "invalid_argument", message: "the text takes too long to match with the script" }),
  );
});
