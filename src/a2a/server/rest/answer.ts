import { failureHeaders } from "../json-rpc/answer.js";
import { sseEvent } from "../sse/event.js";
import type { Framing } from "../stream-pieces.js";
import type { Dialect } from "./dialect.js";

export type RestAnswer =
  | {
      type: "json";
      status: number;
      /** JSON text; empty for an answer without one. */
      body: string;
      mediaType?: string;
      headers?: Record<string, string>;
    }
  /** The text of Server-Sent Events, a piece for each write. */
  | { type: "stream"; frames: AsyncIterable<string> };

export function failureAnswer(dialect: Dialect, error: unknown): RestAnswer & { type: "json" } {
  const { status, body } = dialect.failure(error);
  const headers = failureHeaders(error, status);
  return { type: "json", status, body: JSON.stringify(body), mediaType: dialect.mediaType, headers };
}

/** A stream is a result per event; the specification has no word for an error in it, and the SDKs expect one of this name. */
export const framing = (dialect: Dialect, write: (text: string) => string): Framing<string> => ({
  results(results) {
    let text = "";
    for (const { seq, text: result } of results) text += sseEvent(write(result), seq);
    return text;
  },
  failure: (error) => `event: error\n${sseEvent(JSON.stringify(dialect.failure(error).body), undefined)}`,
});
