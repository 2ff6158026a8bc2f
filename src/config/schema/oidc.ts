import { SCOPES } from "../../access/principal.js";
import { list, name, object, oneOf, text } from "../fields.js";
import { isLoopback } from "../loopback.js";

const ISSUER = 'is not an issuer; use its https:// URL as it stands in its tokens ("iss"), without user, ? and #';

/**
 * To the letter as in tokens, the slash at its end included. Plain http only to this machine: whoever is on the way to an
 * issuer could sign in its name.
 */
const issuer = () => text("an https:// URL", 2048).refine(isIssuer, { error: ISSUER });

function isIssuer(candidate: string): boolean {
  if (/[\s\p{Cc}?#]/u.test(candidate) || !/^https?:\/\//.test(candidate) || !URL.canParse(candidate)) return false;
  const { protocol, username, password, hostname } = new URL(candidate);
  if (username !== "" || password !== "") return false;
  return protocol === "https:" || isLoopback(hostname.replace(/^\[|\]$/g, ""));
}

/** An identity provider whose tokens are accepted. */
export const oidc = object({
  issuer: issuer(),
  audience: text("what stands in the tokens as their audience", 1024),
  /** Of everybody who comes with such a token. */
  tenant: name().default("default"),
  /** What they may do; absent: what their token says. */
  scopes: list(oneOf(...SCOPES), SCOPES.length).optional(),
});
