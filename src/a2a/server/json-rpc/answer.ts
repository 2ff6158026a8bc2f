import { NuncioError } from "../../../shared/errors.js";
import { quoted } from "../../../shared/quoted.js";
import { retryAfterOf } from "../../protocol/errors/details.js";
import { type JsonRpcId, toJsonRpcFailure } from "../../protocol/errors/json-rpc.js";
import { sseEvent } from "../sse/event.js";
import type { Framing } from "../stream-pieces.js";

export type JsonRpcAnswer =
  | { type: "json"; status: number; body: string; headers?: Record<string, string> }
  /** The text of Server-Sent Events, a piece for each write. */
  | { type: "stream"; frames: AsyncIterable<string> };

/** @param result JSON text */
export const resultAnswer = (id: JsonRpcId, result: string): JsonRpcAnswer => ({
  type: "json",
  status: 200,
  body: resultText(id, result),
});

/** The response object with the result of a call; `result` is JSON text. */
const resultText = (id: JsonRpcId, result: string): string =>
  `{"jsonrpc":"2.0","id":${typeof id === "string" ? quoted(id) : id},"result":${result}}`;

/** A stream is a response object per event. */
export const streamFraming = (id: JsonRpcId): Framing<string> => ({
  results(results) {
    let text = "";
    for (const { seq, text: result } of results) text += sseEvent(resultText(id, result), seq);
    return text;
  },
  failure: (error) => sseEvent(JSON.stringify(toJsonRpcFailure(error, id).body), undefined),
});

/** The answer that an error gets, also one that came up before the body was read. */
export function failureAnswer(error: unknown, id: JsonRpcId = null): Extract<JsonRpcAnswer, { type: "json" }> {
  const { status, body } = toJsonRpcFailure(error, id);
  return { type: "json", status, body: JSON.stringify(body), headers: failureHeaders(error, status) };
}

/** Headers that go with an error, by the HTTP status that it has. */
export function failureHeaders(error: unknown, status: number): Record<string, string> {
  const headers: Record<string, string> = {};
  if (status === 503 || status === 429) headers["retry-after"] = String(retryAfterOf(error));
  // RFC 9110, 15.5.16.
  if (NuncioError.is(error) && error.reason === "CONTENT_ENCODING_NOT_SUPPORTED")
    headers["accept-encoding"] = "identity";
  if (NuncioError.is(error, "permission_denied") && "scope" in error.details)
    headers["www-authenticate"] = 'Bearer realm="nuncio", error="insufficient_scope"';
  return headers;
}
