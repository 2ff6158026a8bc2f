import { invalidArgument } from "../../shared/errors.js";
import * as check from "./check.js";
import { LIMITS } from "./limits.js";
import type { PushAddress, PushWish } from "./requests.js";
import type { ProtocolVersion } from "./version.js";

/** A scheme of HTTP authentication (RFC 9110, 11.1): a token. */
const SCHEME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
/** What may stand in a header: visible ASCII, with spaces between. Line breaks would begin another header. */
const HEADER_SAFE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** What both versions say alike of where a caller wants to be notified. */
export function readPushWish(
  version: ProtocolVersion,
  given: Record<string, unknown>,
  field: string,
  readSchemes: (authentication: Record<string, unknown>, field: string) => string[],
): PushWish {
  const id = check.optionalId(given.id, `${field}id`);
  const address: PushAddress = { url: readUrl(given.url, `${field}url`), schemes: [] };
  const token = readSecret(given.token, `${field}token`);
  if (token !== undefined) address.token = token;
  const authentication = check.optionalObject(given.authentication, `${field}authentication`);
  if (authentication !== undefined) {
    address.schemes = readSchemes(authentication, `${field}authentication`);
    const credentials = readSecret(authentication.credentials, `${field}authentication.credentials`);
    if (credentials !== undefined) address.credentials = credentials;
  }
  return { version, address, field, ...(id === undefined ? {} : { id }) };
}

export function readScheme(value: unknown, field: string): string {
  const scheme = check.text(value, field);
  if (!SCHEME.test(scheme)) throw invalidArgument(field, "must be the name of an HTTP authentication scheme");
  return scheme;
}

/** Its form alone; where it leads is looked at by whoever would go there. */
function readUrl(value: unknown, field: string): string {
  const url = check.text(value, field);
  if (url.length > LIMITS.pushUrlLength) {
    throw invalidArgument(field, `must not be longer than ${LIMITS.pushUrlLength} characters`);
  }
  if (!/^https?:\/\//i.test(url) || !HEADER_SAFE.test(url) || url.includes(" ") || !URL.canParse(url)) {
    throw invalidArgument(field, "must be an absolute http or https URL");
  }
  return url;
}

function readSecret(value: unknown, field: string): string | undefined {
  const secret = check.optionalLabel(value, field, LIMITS.pushSecretLength);
  if (secret !== undefined && !HEADER_SAFE.test(secret)) {
    throw invalidArgument(field, "must be visible ASCII characters, since it is sent in a header");
  }
  return secret;
}
