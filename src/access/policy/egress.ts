import type { AgentPolicy } from "./agent-policy.js";

/** Whether an entry of `egressHosts` means this host: exactly, on any port; one with a port means that port alone. */
export function isEgressHost(entry: string, url: URL): boolean {
  const given = `${url.protocol}//${entry}`;
  if (!/^[^/?#@\\\s]+$/.test(entry) || !URL.canParse(given)) return false;
  const named = new URL(given);
  return named.hostname === url.hostname && (!/:\d+$/.test(entry) || named.port === url.port);
}

/**
 * Whether a persona with this policy may read this URL, where it may read any. Without a policy nothing narrows that; with
 * one only its hosts are left, and any mode but `enforce` leaves none.
 */
export const allowsEgress = (policy: AgentPolicy | undefined, url: URL): boolean =>
  policy === undefined || (policy.mode === "enforce" && policy.egressHosts.some((entry) => isEgressHost(entry, url)));
