import { expect, it } from "vitest";
import { asDigest, DIGEST, digestOf, digestOfJson, hexOf } from "./digest.js";

const EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

it("digests bytes and text alike, and says by what", () => {
  expect(digestOf("")).toBe(`sha256:${EMPTY}`);
  expect(digestOf("ä")).toBe(digestOf(Buffer.from("ä")));
  expect(digestOf("x")).toMatch(DIGEST);
  expect(hexOf(asDigest(EMPTY))).toBe(EMPTY);
});

it("digests a value and not its spelling", () => {
  expect(digestOfJson({ b: 1, a: [1.0] })).toBe(digestOf('{"a":[1],"b":1}'));
});
