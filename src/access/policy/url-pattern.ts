/**
 * URLs that an agent may call, such as `https://agents.example.com/*`. Compared part by part with the URL as it is parsed,
 * which is what is dialed, never as text: scheme, host and port exactly, the path exactly or, before a `*` at the end,
 * by its beginning.
 */
export interface UrlPattern {
  scheme: string;
  /** As parsed: lower case, without the port. */
  host: string;
  port: string;
  path: string;
  /** Any rest of the path may follow, and a query. */
  open: boolean;
}

/** An absolute URL is this at most, in characters. */
const LONGEST = 2048;

/** The pattern that is written so, or null when it is none: with a `*` anywhere else, a user, a query or a fragment. */
export function parseUrlPattern(text: string): UrlPattern | null {
  const open = text.endsWith("*");
  const written = open ? text.slice(0, -1) : text;
  if (written.includes("*") || /[?#]/.test(written)) return null;
  const url = parsePlainUrl(written);
  if (url === null) return null;
  // `https://example.com*` would be any host that begins so: the rest is one of the path, which begins with its slash.
  if (open && pathOf(written) === "") return null;
  // What parsing has changed, such as `/a/../`, is not what its author reads in it.
  if ((pathOf(written) || "/") !== url.pathname || AMBIGUOUS_PATH.test(url.pathname)) return null;
  return { scheme: url.protocol, host: url.hostname, port: portOf(url), path: url.pathname, open };
}

/** Whether the URL is one that the pattern means. One that two programs may read in two ways is meant by no pattern. */
export function matchesUrl(pattern: UrlPattern, text: string): boolean {
  const url = parsePlainUrl(text);
  if (url === null || AMBIGUOUS_PATH.test(url.pathname)) return false;
  if (url.protocol !== pattern.scheme || url.hostname !== pattern.host || portOf(url) !== pattern.port) return false;
  return pattern.open ? url.pathname.startsWith(pattern.path) : url.pathname === pattern.path && url.search === "";
}

/**
 * Slashes, backslashes and dots in escapes, escaped themselves or not, and dots with parameters: whoever serves the path may
 * take `..%2f`, or `..;/`, for a way out of it.
 */
const AMBIGUOUS_PATH = /%(?:25)*(?:2f|5c|2e)|\/\.\.?(?:;|%(?:25)*3b)/i;

/** An http or https URL without a user and a fragment, in which the parser has nothing to repair; else null. */
function parsePlainUrl(text: string): URL | null {
  if (text.length > LONGEST || !/^https?:\/\/[^/\\]/i.test(text) || !/^[\x21-\x7e]+$/.test(text)) return null;
  if (/[\\#]/.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.username === "" && url.password === "" && !authorityOf(text).includes("@") ? url : null;
}

/** Between `//` and the path. An empty user, as in `https://@host`, is not seen in the parsed URL. */
const authorityOf = (text: string): string => /^[^:]+:\/\/([^/?]*)/.exec(text)?.[1] ?? "";

/** As it is written; empty where nothing follows the host. */
const pathOf = (text: string): string => /^[^:]+:\/\/[^/?]*([^?]*)/.exec(text)?.[1] ?? "";

/** The default port of the scheme is left out of the parsed URL, however it was written. */
const portOf = ({ port, protocol }: URL): string => port || (protocol === "https:" ? "443" : "80");
