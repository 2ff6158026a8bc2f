import { isIP } from "node:net";
import { urlRefused } from "./errors.js";

const MAX_URL_LENGTH = 8_192;
/** RFC 1035, 2.3.4: characters of a whole name. */
const MAX_NAME_LENGTH = 253;
/** Labels of letters, digits, hyphens and underscores, IDN in its ASCII form, as the URL parser leaves them. */
const NAME = /^(?!-)[a-z0-9_-]{1,63}(\.(?!-)[a-z0-9_-]{1,63})*$/;

/** Where a URL leads, as text: nothing has been resolved. */
export interface Target {
  /** Without a fragment, its host in one spelling. */
  url: URL;
  secure: boolean;
  /** An IP address without brackets, or a name in lower case and ASCII without a dot at its end. */
  host: string;
  isAddress: boolean;
  port: number;
}

/**
 * Reads an absolute http or https URL by the rules of the URL standard, so that decimal, octal and hexadecimal IPv4
 * addresses, full-width digits and IDN are what a browser takes them for.
 *
 * @throws NuncioError `invalid_argument`, reason OUTBOUND_URL_REFUSED. The text of the URL is never repeated: it may
 * hold a secret.
 */
export function parseTarget(input: string | URL): Target {
  const text = String(input);
  if (text.length > MAX_URL_LENGTH) throw urlRefused(`must not be longer than ${MAX_URL_LENGTH} characters`);
  // The URL standard drops these wherever they stand, so that what was read differs from what is opened.
  if (/[\p{Cc}\p{Surrogate}\s]/u.test(text)) throw urlRefused("must not contain spaces or control characters");
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw urlRefused("is not an absolute URL");
  if (url.protocol !== "https:" && url.protocol !== "http:") throw urlRefused("must begin with https:// or http://");
  if (url.username !== "" || url.password !== "") throw urlRefused("must not contain a user name or password");
  const secure = url.protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  if (port === 0) throw urlRefused("must not name port 0");
  const host = hostOf(url.hostname);
  const isAddress = isIP(host) !== 0;
  if (!isAddress && (host.length > MAX_NAME_LENGTH || !NAME.test(host))) throw urlRefused("has no valid host name");
  url.hash = "";
  url.hostname = host.includes(":") ? `[${host}]` : host;
  return { url, secure, host, isAddress, port };
}

/** One spelling for a host: without brackets, in lower case, without the dot that ends a fully qualified name. */
const hostOf = (hostname: string): string => hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
