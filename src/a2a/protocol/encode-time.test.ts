import fc from "fast-check";
import { expect, it } from "vitest";
import { isoTime } from "./encode-time.js";

it("times are those of Date, in whatever order they come", () => {
  const time = fc.oneof(fc.integer({ min: 0, max: 8.64e15 }), fc.integer({ min: 0, max: 2500 }));
  fc.assert(
    fc.property(fc.array(time), (times) => {
      for (const ms of times) expect(isoTime(ms)).toBe(new Date(ms).toISOString());
    }),
  );
});
