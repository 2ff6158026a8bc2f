import type { IncomingHttpHeaders } from "node:http";
import { NuncioError } from "../shared/errors.js";

/** JSON-RPC travels as `application/json`; the media type of A2A itself is taken, too. */
const JSON_TYPE = /^application\/(?:json|a2a\+json)\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

/** Refuses a body that is no JSON, or that is packed: what it unpacks to has no bound that the listener could keep. */
export function requireJson(headers: IncomingHttpHeaders): void {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && !/^\s*(?:identity\s*)?$/i.test(encoding)) throw encoded(encoding);
  const contentType = headers["content-type"];
  // The spelling that nearly all clients send: this is on the path of every request.
  if (contentType === "application/json") return;
  if (contentType !== undefined && JSON_TYPE.test(contentType)) return;
  throw new NuncioError("invalid_argument", "the body must be application/json", {
    reason: "CONTENT_TYPE_NOT_SUPPORTED",
    hint: "send the header Content-Type: application/json",
  });
}

const encoded = (encoding: string): NuncioError =>
  new NuncioError("invalid_argument", `the content encoding ${JSON.stringify(encoding.slice(0, 20))} is not taken`, {
    reason: "CONTENT_ENCODING_NOT_SUPPORTED",
    hint: "send the body as it is, without the header Content-Encoding",
  });
