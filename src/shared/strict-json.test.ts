import { expect, it } from "vitest";
import { strictJson } from "./strict-json.js";

it.each([
  ['{"a":1}', { value: { a: 1 } }],
  ["null", { value: null }],
  ['{"a":{"b":1},"c":{"b":2}}', { value: { a: { b: 1 }, c: { b: 2 } } }],
  ['{"secret', { problem: expect.stringMatching(/^is not JSON(?!.*secret)/) }],
  ['{"a":1,"\\u0061":2}', { problem: "has the same field twice" }],
])("reads %s", (text, expected) => {
  expect(strictJson(text)).toEqual(expected);
});
