import { expect, it } from "vitest";
import { AllowedPairs } from "./allowed-pairs.js";

it.each(["127.0.0.1", "x", ":80", "a..b:80", "1.2.3.4.5:80", "a b:80", "user@x:80", "x/y:80", "[::1]", "[::1:80"])(
  "R4 refuses the pair %j, and says where it stands",
  (pair) => {
    expect(() => new AllowedPairs([pair])).toThrow(expect.objectContaining({ field: "outbound.allow" }));
  },
);
