import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { judgeAddress } from "./address-rules.js";
import type { Target } from "./target.js";

/** Where something that the operator has reviewed is, whatever its name resolves to. */
export interface Pinned {
  /** IP addresses. */
  addresses: readonly string[];
  /** It is on this machine, for a rehearsal: then, and only then, plain http is spoken. */
  local: boolean;
}

/** An address in the one spelling in which addresses are compared; null for what is none. */
export function plainAddress(text: string): string | null {
  if (isIP(text) === 0 || text.includes("%")) return null;
  return ipaddr.parse(text).toString();
}

export function isLoopback(address: string): boolean {
  return isIP(address) !== 0 && ipaddr.parse(address).range() === "loopback";
}

/**
 * What keeps a URL from being opened at addresses that the operator has pinned; null when nothing does. The operator may
 * name an address of the local network, but none that stands for whoever asks: metadata, unspecified, multicast.
 */
export function pinnedProblem({ secure, isAddress, host }: Target, { addresses, local }: Pinned): string | null {
  if (addresses.length === 0) return "no address is pinned";
  for (const address of addresses) {
    const problem = addressProblem(address, local);
    if (problem !== null) return `${address} ${problem}`;
  }
  if (!secure && !local) return "the URL must begin with https://";
  if (isAddress && addresses.some((address) => address !== plainAddress(host))) {
    return `the URL names the address ${host}, so that no other one can be pinned`;
  }
  return null;
}

function addressProblem(address: string, local: boolean): string | null {
  if (plainAddress(address) !== address) return "is not an IP address in its usual spelling";
  if (judgeAddress(address) === "metadata") return "is link-local, or of a metadata service";
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range === "loopback") return local ? null : "is this machine, which only a rehearsal with --local may be";
  if (local) return "is not this machine, as --local says";
  if (NOWHERE.has(range) || nowhere(parsed)) return "is no address of one machine";
  if (CARRYING.has(range)) return "carries an IPv4 address: name that one";
  return null;
}

const NOWHERE = new Set(["unspecified", "broadcast", "multicast", "linkLocal"]);

/** IPv4 within IPv6: by it, the rules for IPv4 could be gone around. */
const CARRYING = new Set(["ipv4Mapped", "rfc6145", "rfc6052", "6to4", "teredo"]);

const THIS_NETWORK = ipaddr.IPv4.parseCIDR("0.0.0.0/8");
const RESERVED = ipaddr.IPv4.parseCIDR("240.0.0.0/4");
const COMPATIBLE = ipaddr.IPv6.parseCIDR("::/96");
const LOCAL_NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b:1::/48");

function nowhere(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.kind() === "ipv4")
    return [THIS_NETWORK, RESERVED].some((network) => (address as ipaddr.IPv4).match(network));
  return [COMPATIBLE, LOCAL_NAT64].some((network) => (address as ipaddr.IPv6).match(network));
}
