import { isIPv6 } from "node:net";

/**
 * Whom an address is counted for: itself or, of IPv6, its network of 64 bits, of which one host has all addresses
 * (RFC 6177). An IPv4 address that comes as one of IPv6 is itself.
 */
export function remoteNetwork(address: string): string {
  const plain = address.split("%", 1)[0] as string;
  if (!isIPv6(plain)) return plain;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain);
  if (mapped !== null) return mapped[1] as string;
  const [before = "", after] = plain.toLowerCase().split("::");
  const head = before === "" ? [] : before.split(":");
  const tail = after === undefined || after === "" ? [] : after.split(":");
  const zeros = after === undefined ? 0 : 8 - head.length - tail.length - (plain.includes(".") ? 1 : 0);
  const groups = [...head, ...Array<string>(Math.max(0, zeros)).fill("0"), ...tail];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::/64`;
}
