import { describe, expect, it } from "vitest";
import { RateLimit } from "./rate-limit.js";
import { remoteNetwork } from "./remote-network.js";

describe("RateLimit", () => {
  it("E24 counts each caller for himself", () => {
    const limit = new RateLimit();
    expect(limit.take("ada", 1, 0)).toBe(0);
    expect(limit.take("ada", 1, 0)).toBe(60);
    expect(limit.take("bob", 1, 0)).toBe(0);
    expect(limit.wait("ada", 1, 1000)).toBe(59);
    expect(limit.wait("eve", 1, 1000)).toBe(0);
  });

  it("E24 remembers a bounded number of callers, those that came last", () => {
    const limit = new RateLimit(2);
    for (const who of ["ada", "bob", "ada", "eve"]) limit.take(who, 9, 0);
    expect(["ada", "bob", "eve"].map((who) => limit.wait(who, 1, 0))).toEqual([60, 0, 60]);
  });
});

describe("whom an address is counted for", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::1", "0:0:0:0::/64"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::9", "2001:db8:1:2::/64"],
    ["2001:db8::1:2:3:4", "2001:db8:0:0::/64"],
    ["2001:0db8:0001:0002::", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["64:ff9b::192.0.2.7", "64:ff9b:0:0::/64"],
  ])("E24 %s: %s", (address, network) => {
    expect(remoteNetwork(address)).toBe(network);
  });
});
