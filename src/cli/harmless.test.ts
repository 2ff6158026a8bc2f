import { describe, expect, it } from "vitest";
import { harmless, harmlessJson, harmlessLine } from "./harmless.js";

describe("harmless", () => {
  it.each([
    ["an escape sequence", "\u001b[2J gone", "␛[2J gone"],
    ["a clipboard write", "\u001b]52;c;eA==\u0007", "␛]52;c;eA==␇"],
    ["a C1 sequence introducer", "\u009b31m", "<U+009B>31m"],
    ["a carriage return that would overwrite the line", "safe\rEVIL", "safe␍EVIL"],
    ["backspaces", "ab\b\bcd", "ab␈␈cd"],
    ["a direction override", "\u202egpj.exe", "<U+202E>gpj.exe"],
    ["half of a surrogate pair", "\ud83d!", "<U+D83D>!"],
    ["DEL", "a\u007f", "a␡"],
  ])("makes %s visible", (_what, text, shown) => {
    expect(harmless(text)).toBe(shown);
  });

  it("leaves ordinary text of any language as it is", () => {
    const text = "Tab\there,\nline two: naïve 日本語 👩‍👩‍👧";
    expect(harmless(text)).toBe(text);
  });

  it("keeps one line one line", () => {
    expect(harmlessLine(" a\n\tb\r\nc ")).toBe("a b c");
  });

  it("writes JSON that means the same and moves no cursor", () => {
    const value = { text: "\u001b[2J \u009b31m \u202e \u2028 \ud83d ü" };
    const json = harmlessJson(value);
    expect(JSON.parse(json)).toEqual(value);
    expect(json).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/);
  });
});
