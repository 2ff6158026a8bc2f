import { type AgentPolicy, allowsTarget } from "./agent-policy.js";
import { isEgressHost } from "./egress.js";

/** The tool that calls agents of others, as a policy names it. */
export const CALL_TOOL = "a2a_call";

/** What a policy lacks that does not let a call through. */
export type CallDenial = "mode" | "tool" | "scheme" | "target" | "host";

/**
 * Why a persona with this policy may not call this URL; null when it may. Asked of the URL that a model gives, and again
 * of every URL that the card there names.
 *
 * @param development lets plain http pass as well
 */
export function denialOf(policy: AgentPolicy | undefined, url: string, development: boolean): CallDenial | null {
  const general = generalDenial(policy);
  if (general !== null || policy === undefined) return general;
  if (!isSpoken(url, development)) return "scheme";
  if (!allowsTarget(policy, url)) return "target";
  return policy.egressHosts.some((host) => isEgressHost(host, new URL(url))) ? null : "host";
}

/**
 * Whether there can be a URL that a persona with this policy may call. A tool that could only ever be refused is not
 * shown.
 */
export const mayCallSomebody = (policy: AgentPolicy | undefined, development: boolean): boolean =>
  generalDenial(policy) === null &&
  policy?.a2aTargets.some((target) => isSpoken(target, development)) === true &&
  policy.egressHosts.length > 0;

function generalDenial(policy: AgentPolicy | undefined): "mode" | "tool" | null {
  if (policy?.mode !== "enforce") return "mode";
  return policy.tools.includes(CALL_TOOL) ? null : "tool";
}

const isSpoken = (url: string, development: boolean): boolean =>
  /^https:\/\//i.test(url) || (development && /^http:\/\//i.test(url));
