export interface AgentName {
  tenant: string;
  name: string;
}

/** Where agents have their endpoints: those of the default tenant, and those of the others. */
const ENDPOINT = /^\/v1\/(?:tenants\/([^/?#]+)\/)?agents\/([^/?#]+)\/a2a\/?(?:[?#]|$)/;

/** The agent whose endpoint a request target names, with a slash at the end or without; null for any other path. */
export function agentAt(target: string): AgentName | null {
  const found = ENDPOINT.exec(target.includes("%") ? decoded(target) : target);
  return found === null ? null : { tenant: found[1] ?? "default", name: found[2] as string };
}

/** Letters may come escaped (RFC 3986, 6.2.2.2). What cannot be decoded is no path of ours. */
function decoded(target: string): string {
  const end = target.search(/[?#]/);
  const path = end < 0 ? target : target.slice(0, end);
  try {
    return decodeURI(path) + target.slice(path.length);
  } catch {
    return "";
  }
}
