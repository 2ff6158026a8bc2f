import { hash } from "node:crypto";
import { canonicalJson } from "../shared/canonical-json.js";
import type { JsonValue } from "../shared/json.js";
import type { Message } from "./message.js";

/**
 * What makes two submissions the same: SHA-256 of the canonical JSON (RFC 8785) of the message in its 1.0 form and of
 * what was sent along with it (request metadata, inline push configuration). Blocking, history length and accepted
 * output modes are not in it, since they change the answer and not the work.
 *
 * @returns lower-case hex
 */
export function bodyHash(message: Message, along: { [key: string]: JsonValue | undefined } = {}): string {
  return hash("sha256", canonicalJson({ ...along, message } as unknown as JsonValue), "hex");
}
