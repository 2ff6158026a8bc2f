import { describe, expect, it } from "vitest";
import { type AddressVerdict, isMetadataName, judgeAddress } from "./address-rules.js";

/** Every range that is not the internet, by its first and last address and what lies beside it. */
const TABLE: Record<AddressVerdict, Record<string, readonly string[]>> = {
  public: {
    "IPv4 at the borders of what is refused": [
      "1.0.0.1",
      "8.8.8.8",
      "9.255.255.255",
      "11.0.0.0",
      "100.63.255.255",
      "100.128.0.0",
      "126.255.255.255",
      "128.0.0.0",
      "169.253.255.255",
      "169.255.0.0",
      "172.15.255.255",
      "172.32.0.0",
      "192.167.255.255",
      "192.169.0.0",
      "198.17.255.255",
      "198.20.0.0",
      "223.255.255.255",
    ],
    "IPv6 that is given out": ["2001:4860:4860::8888", "2606:4700::1111", "2a00:1450::1", "2001:200::1", "2400::1"],
  },
  internal: {
    "this network, 0.0.0.0/8": ["0.0.0.0", "0.0.0.1", "0.255.255.255"],
    private: ["10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"],
    "carrier-grade NAT": ["100.64.0.0", "100.127.255.255"],
    loopback: ["127.0.0.0", "127.0.0.1", "127.255.255.255"],
    "protocol assignments and documentation": ["192.0.0.1", "192.0.2.1", "198.51.100.1", "203.0.113.1"],
    "6to4 relays, benchmarks": ["192.88.99.1", "198.18.0.0", "198.19.255.255"],
    "multicast, reserved, broadcast": ["224.0.0.1", "239.255.255.255", "240.0.0.0", "255.255.255.255"],
    "AS112, AMT": ["192.31.196.1", "192.52.193.1", "192.175.48.1"],
    "IPv6 unspecified and loopback": ["::", "::1"],
    "IPv6 compatible with IPv4, which ipaddr.js calls unicast": ["::7f00:1", "::127.0.0.1", "::8.8.8.8", "::2"],
    "IPv4 mapped into IPv6, public ones too": [
      "::ffff:127.0.0.1",
      "::ffff:10.0.0.1",
      "::ffff:8.8.8.8",
      "::ffff:7f00:1",
    ],
    "IPv4 translated": ["::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8"],
    NAT64: ["64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::10.0.0.1"],
    "6to4": ["2002:7f00:1::", "2002:808:808::1"],
    Teredo: ["2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
    "other assignments within 2001::/23": [
      "2001:2::1",
      "2001:3::1",
      "2001:4:112::1",
      "2001:10::1",
      "2001:20::1",
      "2001:30::1",
      "2001:1ff:ffff::1",
    ],
    "IPv6 documentation, the former 6bone": ["2001:db8::1", "3fff::1", "3fff:fff::1", "3ffe::1"],
    "AS112 for IPv6": ["2620:4f:8000::1"],
    "unique local, site-local": ["fc00::1", "fdff::1", "fec0::1"],
    "multicast, discard, segment routing": ["ff02::1", "ff0e::1", "100::1", "5f00::1"],
    "not given out": ["4000::1", "1fff::1", "e000::1"],
    "not an address": [
      "",
      "localhost",
      "127.1",
      "0x7f.0.0.1",
      "2130706433",
      "1.2.3.4.5",
      "01.2.3.4",
      "[::1]",
      "2400::1%eth0",
      " 8.8.8.8",
      "8.8.8.8\n",
    ],
  },
  metadata: {
    "link-local, where most clouds have it": ["169.254.169.254", "169.254.170.2", "169.254.0.0", "169.254.255.255"],
    "Alibaba, Oracle, Azure": ["100.100.100.200", "192.0.0.192", "168.63.129.16"],
    IPv6: ["fe80::1", "fe80::a9fe:a9fe", "fd00:ec2::254", "fd20:ce::254", "fd00:42::42", "fd00:c1::a9fe:a9fe"],
    "carried by IPv6": [
      "::ffff:169.254.169.254",
      "::169.254.169.254",
      "::ffff:0:169.254.169.254",
      "64:ff9b::a9fe:a9fe",
      "64:ff9b:1::168.63.129.16",
      "2002:a9fe:a9fe::1",
      "2001:0:a9fe:a9fe::1",
      "2001:0:808:808:0:0:5601:5601",
    ],
  },
};

describe("R4 the address rules", () => {
  for (const [verdict, kinds] of Object.entries(TABLE)) {
    for (const [kind, addresses] of Object.entries(kinds)) {
      it(`R4 ${verdict}: ${kind}`, () => {
        expect(addresses.map((address) => [address, judgeAddress(address)])).toEqual(
          addresses.map((address) => [address, verdict]),
        );
      });
    }
  }

  it("R4 knows the names of metadata services", () => {
    for (const name of ["metadata", "metadata.google.internal", "instance-data"])
      expect(isMetadataName(name)).toBe(true);
    expect(isMetadataName("metadata.example.com")).toBe(false);
  });
});
