import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * What an address is to us: `public` is on the internet for everybody; `internal` is anything else, so that only the
 * operator may open it; `metadata` speaks for the machine that asks, so that nobody may.
 */
export type AddressVerdict = "public" | "internal" | "metadata";

/** Judges an address, as the resolver or the URL parser writes it. What is not plainly an address is not public. */
export function judgeAddress(address: string): AddressVerdict {
  // A zone picks one of our own interfaces.
  if (isIP(address) === 0 || address.includes("%")) return "internal";
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === "ipv4") return judgeIpv4(parsed as ipaddr.IPv4);
  return judgeIpv6(parsed as ipaddr.IPv6);
}

function judgeIpv4(address: ipaddr.IPv4): AddressVerdict {
  if (METADATA_IPV4.some((network) => address.match(network))) return "metadata";
  return address.range() === "unicast" ? "public" : "internal";
}

function judgeIpv6(address: ipaddr.IPv6): AddressVerdict {
  if (METADATA_IPV6.some((network) => address.match(network))) return "metadata";
  if (carried(address).some((inner) => judgeIpv4(inner) === "metadata")) return "metadata";
  // ipaddr.js calls `unicast` what no range of it holds, `::7f00:1` among it. Only 2000::/3 is given out (RFC 4291, 2.4).
  if (!address.match(GLOBAL_UNICAST) || NOT_GLOBAL.some((network) => address.match(network))) return "internal";
  return address.range() === "unicast" ? "public" : "internal";
}

/** The IPv4 addresses that an IPv6 address carries, by each way of carrying one whose prefix it has. */
function carried(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const bytes = address.toByteArray();
  const at = (start: number) => new ipaddr.IPv4(bytes.slice(start, start + 4));
  const found: ipaddr.IPv4[] = [];
  if (IN_LAST_BYTES.some((network) => address.match(network))) found.push(at(12));
  if (address.match(SIX_TO_FOUR)) found.push(at(2));
  // RFC 4380, 4: the server, and the client with its bits turned.
  if (address.match(TEREDO)) found.push(at(4), new ipaddr.IPv4(bytes.slice(12).map((byte) => byte ^ 0xff)));
  return found;
}

type Ipv4Network = [ipaddr.IPv4, number];
type Ipv6Network = [ipaddr.IPv6, number];
const ipv4 = (network: string) => ipaddr.IPv4.parseCIDR(network) as Ipv4Network;
const ipv6 = (network: string) => ipaddr.IPv6.parseCIDR(network) as Ipv6Network;

const GLOBAL_UNICAST = ipv6("2000::/3");
const SIX_TO_FOUR = ipv6("2002::/16");
const TEREDO = ipv6("2001::/32");

/** Compatible and mapped (RFC 4291, 2.5.5), translated (RFC 2765), NAT64 (RFC 6052, RFC 8215). */
const IN_LAST_BYTES = ["::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48"].map(ipv6);

/** Inside of 2000::/3, and yet not for the internet: protocol assignments, documentation, 6to4, the former 6bone. */
const NOT_GLOBAL = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "3ffe::/16"].map(ipv6);

/**
 * Where clouds tell a machine who it is. All of link-local is taken for that; the others are Alibaba, Oracle, and the
 * host agent of Azure, whose address is public by its number.
 */
const METADATA_IPV4 = ["169.254.0.0/16", "100.100.100.200/32", "192.0.0.192/32", "168.63.129.16/32"].map(ipv4);

/** Link-local, AWS, Google, Scaleway, Oracle, Linode. */
const METADATA_IPV6 = [
  "fe80::/10",
  "fd00:ec2::/32",
  "fd20:ce::/32",
  "fd00:42::/32",
  "fd00:c1::/32",
  "fd00:a9fe:a9fe::/48",
].map(ipv6);

/** Names by which metadata services are known; they resolve only inside of the cloud, so the name alone is enough. */
const METADATA_NAMES = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "metadata.azure.internal",
  "metadata.tencentyun.com",
  "metadata.packet.net",
  "metadata.platformequinix.com",
  "instance-data",
  "instance-data.ec2.internal",
  "rancher-metadata",
]);

/** @param host a name in lower case, without a dot at its end */
export const isMetadataName = (host: string): boolean => METADATA_NAMES.has(host);
