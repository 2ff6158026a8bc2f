import type { IncomingMessage, ServerResponse } from "node:http";
import { activeExtensions, EXTENSIONS_PARAMETER } from "../a2a/server/active-extensions.js";

const PARAMETERS = Object.values(EXTENSIONS_PARAMETER);

/**
 * Says with the answer which of the extensions that a request asks for are active (A2A 1.0, 4.6), under the name by which
 * it asks: each version has its own. Only to a caller who was let in, since the answers to all others are of the same bytes.
 */
export function sayActiveExtensions({ headers }: IncomingMessage, response: ServerResponse): void {
  for (const name of PARAMETERS) {
    const asked = headers[name];
    if (asked === undefined) continue;
    const active = activeExtensions(String(asked));
    if (active !== undefined) response.setHeader(name, active);
  }
}
