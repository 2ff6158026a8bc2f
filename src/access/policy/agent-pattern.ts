import { parseSpiffeId } from "./spiffe-id.js";

/**
 * Agents that may call, such as `spiffe://example.com/*`: the trust domain is one whole name, so that the pattern of one
 * never means another that begins with it.
 */
export interface AgentPattern {
  trustDomain: string;
  /** `/agents/desk`, or what it must begin with. */
  path: string;
  /** Any rest, of at least one character, may follow. */
  open: boolean;
}

/** The pattern that is written so, or null when it is none: `*` stands at its end, behind the trust domain and a slash. */
export function parseAgentPattern(text: string): AgentPattern | null {
  if (!text.endsWith("*")) {
    const id = parseSpiffeId(text);
    return id === null ? null : { ...id, open: false };
  }
  const start = text.slice(0, -1);
  const complete = parseSpiffeId(start.endsWith("/") ? start.slice(0, -1) : start);
  if (complete === null || !/^spiffe:\/\/[^/]+\//.test(start)) return null;
  return {
    trustDomain: complete.trustDomain,
    path: start.endsWith("/") ? `${complete.path}/` : complete.path,
    open: true,
  };
}

export function matchesAgent(pattern: AgentPattern, spiffeId: string): boolean {
  const id = parseSpiffeId(spiffeId);
  if (id === null || id.trustDomain !== pattern.trustDomain) return false;
  if (!pattern.open) return id.path === pattern.path;
  return id.path.length > pattern.path.length && id.path.startsWith(pattern.path);
}
