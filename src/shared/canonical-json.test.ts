import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.js";
import type { JsonValue } from "./json.js";

describe("canonical JSON", () => {
  it("is what the reference implementation of RFC 8785 makes of any JSON", () => {
    const anything = fc.jsonValue({ maxDepth: 4, stringUnit: "binary" });
    const numbered = fc.dictionary(fc.oneof(fc.nat().map(String), fc.constantFrom("__proto__", "", "a")), anything);
    const json = fc.oneof(anything, numbered);
    fc.assert(
      fc.property(json, (value) => {
        // As it would come from a request.
        const parsed = JSON.parse(JSON.stringify(value)) as JsonValue;
        expect(canonicalJson(parsed)).toBe(canonicalize(parsed));
      }),
      { numRuns: 500 },
    );
  });

  it("orders keys by code units, also those that JavaScript would put first", () => {
    expect(canonicalJson({ "\ufb33": 1, "\u{1f600}": 2, b: 3, "10": 4, "9": 5, A: 6 })).toBe(
      '{"10":4,"9":5,"A":6,"b":3,"\u{1f600}":2,"\ufb33":1}',
    );
  });

  it("writes numbers as RFC 8785 shows them", () => {
    expect(canonicalJson([333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0, 1e21])).toBe(
      "[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1e+21]",
    );
  });

  it("leaves out what is not set", () => {
    expect(canonicalJson({ a: undefined, b: 1 } as unknown as JsonValue)).toBe('{"b":1}');
  });

  it("refuses what JSON cannot say", () => {
    expect(() => canonicalJson(["\ud800"])).toThrow();
    expect(() => canonicalJson({ "\udc00": 1 })).toThrow();
    expect(() => canonicalJson(Number.POSITIVE_INFINITY)).toThrow();
  });
});
