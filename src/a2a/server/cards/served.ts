import { createHash } from "node:crypto";

/** A document as it is sent. */
export interface Served {
  body: string;
  /** Strong, made from the body. */
  etag: string;
}

export function served(document: object): Served {
  const body = JSON.stringify(document);
  return { body, etag: `"${createHash("sha256").update(body).digest("base64url")}"` };
}
