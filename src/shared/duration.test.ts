import { describe, expect, it } from "vitest";
import { durationText, parseDuration } from "./duration.js";

describe("durationText", () => {
  it.each([
    [-5, "0 ms"],
    [350, "350 ms"],
    [4200, "4 s"],
    [59_700, "1 min"],
    [125_000, "2 min 5 s"],
    [11_400_000, "3 h 10 min"],
    [432_000_000, "5 d"],
  ])("shows %d ms as %s", (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});

describe("parseDuration", () => {
  it.each([
    ["90d", 7_776_000_000],
    ["12h", 43_200_000],
    ["30m", 1_800_000],
    ["45s", 45_000],
    ["200ms", 200],
  ])("reads %s", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(["", "90", "d", "-1d", "1.5h", "0s", "1y", "1d 2h", "99999999999d"])("refuses %j", (text) => {
    expect(parseDuration(text)).toBeNull();
  });
});
