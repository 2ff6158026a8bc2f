import { expect, it } from "vitest";
import { AllowedPairs } from "./allowed-pairs.js";
import { parseTarget } from "./target.js";

it("are taken back and given without a new way out", () => {
  const pairs = new AllowedPairs(["127.0.0.1:9000"]);
  const [before, after] = [parseTarget("http://127.0.0.1:9000/"), parseTarget("http://[::1]:9001/")];
  expect([pairs.has(before), pairs.has(after)]).toEqual([true, false]);
  pairs.replace(["[::1]:9001"]);
  expect([pairs.has(before), pairs.has(after)]).toEqual([false, true]);
});

it.each(["127.0.0.1", "x", ":80", "a..b:80", "1.2.3.4.5:80", "a b:80", "user@x:80", "x/y:80", "[::1]", "[::1:80"])(
  "R4 refuses the pair %j, and says where it stands",
  (pair) => {
    expect(() => new AllowedPairs([pair])).toThrow(expect.objectContaining({ field: "outbound.allow" }));
  },
);
