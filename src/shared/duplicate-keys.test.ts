import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasDuplicateKeys } from "./duplicate-keys.js";

describe("duplicate keys", () => {
  it.each([
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    '{"b":{"a":1,"c":[],"a":1}}',
    '[{"x":1},{"a":"}","a":"{"}]',
    '{"__proto__":1,"__proto__":2}',
    '{"":1,"":2}',
    '{"a\\"":1,"b":":","a\\"":2}',
  ])("are seen in %s", (json) => {
    JSON.parse(json);
    expect(hasDuplicateKeys(json)).toBe(true);
  });

  it.each([
    "{}",
    "1",
    '"a"',
    '{"a":"a","b":"a"}',
    '[{"a":1},{"a":1}]',
    '{"a":{"a":{"a":["a","a"]}}}',
    '{"a":"{\\"a\\":1}","b":"\\\\"}',
  ])("are not seen in %s", (json) => {
    JSON.parse(json);
    expect(hasDuplicateKeys(json)).toBe(false);
  });

  it("are in no JSON that was written from a value, and in every one that a key was added to", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue(), { minKeys: 1 }), (value) => {
        const json = JSON.stringify(value);
        expect(hasDuplicateKeys(json)).toBe(false);
        const key = JSON.stringify(Object.keys(value)[0]);
        expect(hasDuplicateKeys(`{${key}:0,${json.slice(1)}`)).toBe(true);
      }),
    );
  });
});
