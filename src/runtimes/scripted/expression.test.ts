import { expect, it } from "vitest";
import { firstMatch } from "./expression.js";

const matches = (expression: RegExp, text: string) => firstMatch([[{ expression, text }]]) === 0;

it("an expression says whether it matches", () => {
  expect(matches(/^report on (.+)/, "report on cats")).toBe(true);
  expect(matches(/^report on (.+)/, "tell me")).toBe(false);
  const sticky = /cat/g;
  expect([matches(sticky, "cat"), matches(sticky, "cat")]).toEqual([true, true]);
});

it("the first candidate is found of which every expression matches", () => {
  const trials = (...sources: RegExp[]) => sources.map((expression) => ({ expression, text: "abc" }));
  expect(firstMatch([trials(/x/), trials(/a/, /x/), trials(/a/, /c$/), trials(/b/)])).toBe(2);
  expect(firstMatch([trials(/x/)])).toBe(-1);
});

it("a process that is halted while an expression is tried still gets its answer", () => {
  let halts = 3;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const halted = { test: () => halts-- <= 0 || Atomics.wait(pause, 0, 0, 200) === "not-equal" };
  expect(firstMatch([[{ expression: halted as unknown as RegExp, text: "" }]])).toBe(0);
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
