import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPageToken, writePageToken } from "./page-token.js";

const position = { statusAt: 1_900_000_000_123, id: "019357a1-7c00-7abc-8def-0123456789ab" };

describe("the token for the next page", () => {
  it("E20 leads behind the position that it was made for, in its own list only", () => {
    const token = writePageToken(position, "mine");
    expect(readPageToken(token, "mine")).toEqual(position);
    expect(() => readPageToken(token, "yours")).toThrow(refusal);
  });

  it("E20 anything else is refused, and named", () => {
    const token = writePageToken(position, "mine");
    for (const other of ["", "x", token.slice(1), `${token}A`, `${token}=`, token.replace(/.$/, "!"), "A".repeat(46)]) {
      expect(() => readPageToken(other, "mine")).toThrow(refusal);
    }
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => readPageToken(text, "mine")).toThrow(refusal);
      }),
    );
  });
});

const refusal = expect.objectContaining({ code: "invalid_argument", field: "pageToken" });
