import type { ServerResponse } from "node:http";
import { failureAnswer } from "../a2a/server/json-rpc/answer.js";

export type Headers = Readonly<Record<string, string>>;

/** A whole answer, before it is written. */
export interface Answer {
  status: number;
  /** JSON text; empty for an answer without one. */
  body: string;
  headers?: Headers | undefined;
  /** Of the body, where it is not the usual one. */
  mediaType?: string | undefined;
}

/**
 * The answer for everything that is not there. A private agent gives it to everybody outside its tenant, byte for byte:
 * nothing in it may depend on the request.
 */
export const ABSENT: Answer = { status: 404, body: '{"error":"not found"}' };

/** The connection takes no further requests, whatever comes of this one. */
export const andClose = (answer: Answer): Answer => ({
  ...answer,
  headers: { ...answer.headers, connection: "close" },
});

export const failed = (error: unknown): Answer => failureAnswer(error);

const JSON_TYPE = "application/json; charset=utf-8";

/** Headers and body leave in one piece, since the length is known before. */
export function write(response: ServerResponse, { status, body, headers, mediaType = JSON_TYPE }: Answer): void {
  const length = Buffer.byteLength(body);
  const content = body === "" ? { "content-length": length } : { "content-type": mediaType, "content-length": length };
  response.writeHead(status, headers === undefined ? content : { ...headers, ...content });
  // As many bytes as characters: it is ASCII, and need not be looked through for what is not.
  response.end(body, length === body.length ? "latin1" : "utf8");
}
