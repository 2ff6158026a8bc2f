import type { IncomingMessage, ServerResponse } from "node:http";
import type { Served } from "../a2a/server/cards/served.js";
import { type Headers, write } from "./answer.js";

export interface Caching {
  /** When that of which the document is made was last changed, ms. */
  changedAt: number;
  cacheControl: string;
  /** Request headers that the document depends on. */
  vary?: string;
}

/** Sends a document, or says that the client has it already (RFC 9110, 13). */
export function sendDocument(
  { body, etag }: Served,
  { changedAt, cacheControl, vary }: Caching,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const headers: Headers = {
    etag,
    "last-modified": new Date(changedAt).toUTCString(),
    "cache-control": cacheControl,
    ...(vary === undefined ? {} : { vary }),
  };
  if (isUnchanged(request, etag, changedAt)) response.writeHead(304, headers).end();
  else write(response, { status: 200, body, headers });
}

/** RFC 9110, 13.2.2: where both are there, the entity tag decides. */
function isUnchanged(request: IncomingMessage, etag: string, changedAt: number): boolean {
  const tags = request.headers["if-none-match"];
  if (tags !== undefined) {
    return tags.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
  }
  const since = Date.parse(request.headers["if-modified-since"] ?? "");
  return Math.floor(changedAt / 1000) * 1000 <= since;
}
