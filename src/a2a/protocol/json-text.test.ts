import { describe, expect, it } from "vitest";
import { list, optional } from "./json-text.js";

describe("JSON put together as text", () => {
  it("writes lists, and fields that are set", () => {
    expect(list([], String)).toBe("[]");
    expect(list([1, 2], String)).toBe("[1,2]");
    expect(`{"a":1${optional("b", undefined)}${optional("c", { d: null })}}`).toBe('{"a":1,"c":{"d":null}}');
  });
});
