import { DELEGATION_EXTENSION } from "../protocol/delegation-extension.js";
import type { ProtocolVersion } from "../protocol/version.js";

/** The service parameter by which a caller asks for extensions, and an answer says which are active. */
export const EXTENSIONS_PARAMETER: Record<ProtocolVersion, string> = {
  "1.0": "a2a-extensions",
  "0.3": "x-a2a-extensions",
};

/** Those that our cards declare for calls. Another version of one is another extension (A2A 1.0, 4.6.3). */
const DECLARED: readonly string[] = [DELEGATION_EXTENSION];

/**
 * What is active of the extensions that a caller asks for (A2A 1.0, 3.2.6 and 4.6): unknown ones are passed over.
 *
 * @param asked URIs with commas between them
 * @returns in the same form; undefined when none is
 */
export function activeExtensions(asked: string | undefined): string | undefined {
  if (asked === undefined) return undefined;
  const wanted = new Set(asked.split(",").map((uri) => uri.trim()));
  const active = DECLARED.filter((uri) => wanted.has(uri));
  return active.length === 0 ? undefined : active.join(", ");
}
