import { NuncioError } from "../../shared/errors.js";
import { quoted } from "../../shared/quoted.js";
import { type JsonRpcId, RETRY_AFTER_SECONDS, toJsonRpcFailure } from "../protocol/errors.js";

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
export const resultText = (id: JsonRpcId, result: string): string =>
  `{"jsonrpc":"2.0","id":${typeof id === "string" ? quoted(id) : id},"result":${result}}`;

/** The answer that an error gets, also one that came up before the body was read. */
export function failureAnswer(error: unknown, id: JsonRpcId = null): Extract<JsonRpcAnswer, { type: "json" }> {
  const { status, body } = toJsonRpcFailure(error, id);
  const headers: Record<string, string> = {};
  if (status === 503 || status === 429) headers["retry-after"] = String(RETRY_AFTER_SECONDS);
  // RFC 9110, 15.5.16.
  if (NuncioError.is(error) && error.reason === "CONTENT_ENCODING_NOT_SUPPORTED")
    headers["accept-encoding"] = "identity";
  if (status === 403) headers["www-authenticate"] = 'Bearer realm="nuncio", error="insufficient_scope"';
  return { type: "json", status, body: JSON.stringify(body), headers };
}
