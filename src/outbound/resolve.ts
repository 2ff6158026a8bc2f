import { lookup } from "node:dns/promises";
import { unresolved } from "./errors.js";

/** All addresses of a name, as the system knows them. Rejects when there are none, or nobody could be asked. */
export type Resolver = (host: string) => Promise<readonly string[]>;

/** More than anybody has who means well; each of them is checked. */
const MAX_ADDRESSES = 64;

export const systemResolver: Resolver = async (host) => {
  const found = await lookup(host, { all: true, order: "verbatim" });
  return found.map(({ address }) => address);
};

/** @throws NuncioError `unavailable`, reason OUTBOUND_UNRESOLVED */
export async function resolveName(resolver: Resolver, host: string): Promise<readonly string[]> {
  let addresses: readonly string[];
  try {
    addresses = await resolver(host);
  } catch (cause) {
    throw unresolved(host, cause);
  }
  if (addresses.length === 0 || addresses.length > MAX_ADDRESSES) throw unresolved(host);
  return addresses;
}
