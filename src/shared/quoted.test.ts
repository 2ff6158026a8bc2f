import fc from "fast-check";
import { expect, it } from "vitest";
import { quoted } from "./quoted.js";

it("strings are quoted as JSON quotes them", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(quoted(text)).toBe(JSON.stringify(text));
    }),
    { numRuns: 1000 },
  );
});

it("whatever code unit is in them, alone or not", () => {
  const units = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
  expect(units.filter((unit) => quoted(unit) !== JSON.stringify(unit))).toEqual([]);
  expect(units.filter((unit) => quoted(`a${unit}b`) !== JSON.stringify(`a${unit}b`))).toEqual([]);
});
