import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { list, optional, quoted } from "./json-text.js";

describe("JSON put together as text", () => {
  it("quotes any string as JSON does", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(quoted(text)).toBe(JSON.stringify(text));
      }),
      { numRuns: 1000 },
    );
    for (let code = 0; code <= 0xffff; code++) {
      const text = `a${String.fromCharCode(code)}`;
      if (quoted(text) !== JSON.stringify(text)) expect(quoted(text)).toBe(JSON.stringify(text));
    }
  });

  it("writes lists, and fields that are set", () => {
    expect(list([], String)).toBe("[]");
    expect(list([1, 2], String)).toBe("[1,2]");
    expect(`{"a":1${optional("b", undefined)}${optional("c", { d: null })}}`).toBe('{"a":1,"c":{"d":null}}');
  });
});
