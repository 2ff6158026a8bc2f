import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { NuncioError } from "../../shared/errors.js";

/** A message of 1 MiB, as on the A2A edge, and something around it. */
const MAX_BODY_BYTES = 1024 * 1024 + 16 * 1024;

/** The body as a JSON object; an empty one when there is none. Reads no more than the limit. */
export async function jsonBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const body = await readBody(request);
  if (body.length === 0) return {};
  let value: unknown;
  // Not decoded leniently: what is kept must be what was sent.
  if (!isUtf8(body)) throw new NuncioError("invalid_argument", "the request's body is not valid UTF-8");
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    throw new NuncioError("invalid_argument", "the request's body is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new NuncioError("invalid_argument", "the request's body must be a JSON object");
  }
  return value as Record<string, unknown>;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new NuncioError("invalid_argument", "the request ended before its body was complete", { cause });
  }
  if (size <= MAX_BODY_BYTES) return Buffer.concat(chunks);
  throw new NuncioError("invalid_argument", `the request is larger than ${MAX_BODY_BYTES} bytes`, {
    reason: "TOO_LARGE",
  });
}
