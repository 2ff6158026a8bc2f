import type { JsonObject } from "../../../shared/json.js";

/** The operations that a client of ours asks for, whatever a binding calls them. */
export type CallName = "send" | "get" | "cancel";
export type StreamName = "stream" | "subscribe";

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** The answer comes when the work is done. */
  waits?: boolean;
}

/**
 * How one interface of an agent is spoken to: parameters in, JSON out, both in the spelling of its version. Rejects with
 * a `NuncioError` (errors.ts, outbound/errors.ts), or with the signal's reason. Sends once, and never again.
 */
export interface Binding {
  call(name: CallName, params: JsonObject, options: CallOptions): Promise<unknown>;
  /** Resolves when the agent has begun to answer. The iteration fails when the stream breaks; that it ends means only that. */
  stream(name: StreamName, params: JsonObject, options: CallOptions): Promise<AsyncIterable<unknown>>;
}
