import type { IncomingHttpHeaders } from "node:http";

/** One answer of a fake provider. */
export type Turn = AnswerTurn | RefusalTurn | { hang: true };

export interface AnswerTurn {
  /** Streamed in these pieces; a string is one piece. */
  text?: string | readonly string[];
  tools?: readonly ToolUse[];
  usage?: { input: number; output: number };
  /** The answer ran into the output limit of the model. */
  truncated?: boolean;
  /**
   * What happens after the text and the tool calls: `cut` destroys the connection, `close` ends the body as if all was
   * well, `error` sends the error event of the protocol, `hang` keeps the connection open for ever.
   */
  ending?: "finish" | "cut" | "close" | "error" | "hang";
}

export interface ToolUse {
  /** A new one per call unless given. */
  id?: string;
  name: string;
  /** A string is sent as it is, for arguments that are no JSON. */
  args: Record<string, unknown> | string;
}

/** The provider answers with an HTTP error. */
export interface RefusalTurn {
  status: number;
  message?: string;
  headers?: Record<string, string>;
}

export interface ReceivedRequest {
  /** From 0, refused ones included. */
  index: number;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: what a client sent, looked at field by field in tests
  body: any;
  /** Resolves when the client has closed the connection before the answer was finished. */
  abandoned: Promise<void>;
}

/** A list of answers, one a request, or a function of the request. */
export type Script = readonly Turn[] | ((request: ReceivedRequest) => Turn | Promise<Turn>);

export interface FakeOptions {
  turns: Script;
  /** The key that clients must send. */
  apiKey?: string;
}

export interface FakeProvider {
  /** To be configured as the base URL, version included. */
  url: string;
  /** Every request that reached the provider, in order. */
  requests: readonly ReceivedRequest[];
  /** Resolves with request number `index` (from 0) as soon as it has arrived. */
  request(index: number): Promise<ReceivedRequest>;
  close(): Promise<void>;
}

export const piecesOf = (text: string | readonly string[] | undefined): readonly string[] =>
  text === undefined ? [] : typeof text === "string" ? [text] : text;

export const argumentsOf = (tool: ToolUse): string =>
  typeof tool.args === "string" ? tool.args : JSON.stringify(tool.args);

/** Cuts a text in two, so that clients have to put deltas together. */
export function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== "");
}
