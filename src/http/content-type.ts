import { NuncioError } from "../shared/errors.js";

/** JSON-RPC travels as `application/json`; the media type of A2A itself is taken, too. */
const JSON_TYPE = /^application\/(?:json|a2a\+json)\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

export function requireJson(contentType: string | undefined): void {
  // The spelling that nearly all clients send: this is on the path of every request.
  if (contentType === "application/json") return;
  if (contentType !== undefined && JSON_TYPE.test(contentType)) return;
  throw new NuncioError("invalid_argument", "the body must be application/json", {
    reason: "CONTENT_TYPE_NOT_SUPPORTED",
    hint: "send the header Content-Type: application/json",
  });
}
