import type { AgentName } from "../access/agent-name.js";

/** A path below the endpoint of an agent. */
export interface AgentPath {
  agent: AgentName;
  /** What follows the endpoint, without slashes around it: empty for the endpoint itself, else e.g. `tasks/42`; still escaped. */
  rest: string;
}

/** Where agents have their endpoints: those of the default tenant, and those of the others. */
const AGENT = /^\/v1\/(?:tenants\/([^/?#]+)\/)?agents\/([^/?#]+)\/a2a(?:\/([^?#]*))?(?:[?#]|$)/;

/** The agent that a request target leads to, whether there is one or not; null for any other path. */
export function agentAt(target: string): AgentPath | null {
  const found = AGENT.exec(target.includes("%") ? decoded(target) : target);
  if (found === null) return null;
  const rest = found[3] ?? "";
  return {
    agent: { tenant: found[1] ?? "default", name: found[2] as string },
    rest: rest.endsWith("/") ? rest.slice(0, -1) : rest,
  };
}

/**
 * Letters may come escaped (RFC 3986, 6.2.2.2). What cannot be decoded is no path of ours. Behind the endpoint everything
 * stays as it came: what stands there is decoded once, by whoever reads it.
 */
function decoded(target: string): string {
  const end = target.search(/[?#]/);
  const path = end < 0 ? target : target.slice(0, end);
  const segments = path.split("/");
  try {
    const endpoint = decodeURI(segments[2] ?? "") === "tenants" ? 7 : 5;
    const base = segments.slice(0, endpoint).map(decodeURI);
    return [...base, ...segments.slice(endpoint)].join("/") + target.slice(path.length);
  } catch {
    return "";
  }
}
