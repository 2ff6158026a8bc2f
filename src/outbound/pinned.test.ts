import { describe, expect, it } from "vitest";
import { isLoopback, pinnedProblem, plainAddress } from "./pinned.js";
import { parseTarget } from "./target.js";

const problem = (url: string, addresses: string[], local = false) =>
  pinnedProblem(parseTarget(url), { addresses, local });

describe("R4 P4 an address that may be pinned", () => {
  it.each(["192.0.2.10", "8.8.8.8", "10.1.2.3", "192.168.0.7", "100.64.0.9", "2606:4700::1111", "fd12::5"])(
    "%s",
    (address) => {
      expect(problem("https://reviewer.example/a2a", [address])).toBeNull();
    },
  );

  it.each(["127.0.0.1", "127.9.9.9", "::1"])("%s, for a rehearsal", (address) => {
    expect(problem("https://localhost/a2a", [address], true)).toBeNull();
    expect(problem("http://localhost/a2a", [address], true)).toBeNull();
    expect(problem("https://localhost/a2a", [address])).toContain("only a rehearsal with --local may be");
  });
});

describe("R4 P4 an address that may not be pinned", () => {
  it.each<[string, string[]]>([
    ["is link-local, or of a metadata service", ["169.254.169.254", "169.254.0.1", "fe80::1", "fd00:ec2::254"]],
    ["is link-local, or of a metadata service", ["100.100.100.200", "168.63.129.16", "192.0.0.192"]],
    ["is no address of one machine", ["0.0.0.0", "0.1.2.3", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"]],
    ["is no address of one machine", ["::", "ff02::1", "64:ff9b:1::a00:1"]],
    ["carries an IPv4 address", ["2002:7f00:1::", "64:ff9b::a00:1", "::ffff:0:a00:1"]],
    [
      "is not an IP address in its usual spelling",
      ["", "localhost", "010.0.0.1", "2130706433", "0x7f.1", "fe80::1%eth0"],
    ],
    ["is not an IP address in its usual spelling", ["2606:4700:0::1111", "2606:4700::AB"]],
  ])("%s: %j", (why, addresses) => {
    for (const address of addresses) {
      expect(problem("https://reviewer.example/a2a", [address]), address).toContain(why);
      expect(problem("https://reviewer.example/a2a", ["192.0.2.10", address]), address).toContain(why);
    }
  });

  it.each(["::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1", "::ffff:169.254.169.254"])(
    "%s, in any case",
    (address) => {
      for (const local of [true, false]) expect(problem("https://reviewer.example/", [address], local)).not.toBeNull();
    },
  );

  it("there must be one, and in a rehearsal each must be of this machine", () => {
    expect(problem("https://reviewer.example/", [])).toBe("no address is pinned");
    expect(problem("https://reviewer.example/", ["127.0.0.1", "192.0.2.10"], true)).toContain("is not this machine");
  });
});

describe("R4 P4 a URL that is opened at pinned addresses", () => {
  it("begins with https, but for a rehearsal", () => {
    expect(problem("http://reviewer.example/a2a", ["192.0.2.10"])).toBe("the URL must begin with https://");
  });

  it("that names an address itself has no other", () => {
    expect(problem("https://192.0.2.10/a2a", ["192.0.2.10"])).toBeNull();
    expect(problem("https://[2606:4700::1]/a2a", ["2606:4700::1"])).toBeNull();
    expect(problem("https://192.0.2.10/a2a", ["192.0.2.11"])).toContain("the URL names the address 192.0.2.10");
  });
});

it("an address has one spelling", () => {
  expect(plainAddress("2606:4700:0:0::AB")).toBe("2606:4700::ab");
  expect(plainAddress("reviewer.example")).toBeNull();
  expect([isLoopback("127.1.2.3"), isLoopback("::1"), isLoopback("10.0.0.1"), isLoopback("localhost")]).toEqual([
    ...[true, true],
    ...[false, false],
  ]);
});
