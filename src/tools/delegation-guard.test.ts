import { describe, expect, it } from "vitest";
import { NuncioError } from "../shared/errors.js";
import { checkHops } from "./delegation-guard.js";

describe("the hop guard", () => {
  it.each([1, 4, 32])("D13 lets exactly %i delegations pass and names the limit at the next", (maxHops) => {
    for (let hop = 0; hop < maxHops; hop++) checkHops(hop, maxHops);
    try {
      checkHops(maxHops, maxHops);
      expect.unreachable();
    } catch (error) {
      expect(NuncioError.is(error, "limit_reached")).toBe(true);
      expect((error as Error).message).toContain(`the limit is ${maxHops} (a2a.maxHops)`);
    }
  });
});
