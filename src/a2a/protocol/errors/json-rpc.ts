import { detailsJson } from "./details.js";
import { failureOf } from "./table.js";

export type JsonRpcId = string | number | null;

export interface JsonRpcFailure {
  /** Of the HTTP answer. */
  status: number;
  body: { jsonrpc: "2.0"; id: JsonRpcId; error: { code: number; message: string; data: object[] } };
}

/** The answer that an error gets in JSON-RPC (A2A 1.0, 9.5; 0.3, 8). */
export function toJsonRpcFailure(error: unknown, id: JsonRpcId): JsonRpcFailure {
  const failure = failureOf(error);
  const { code, envelope } = failure.wire;
  return {
    status: envelope,
    body: { jsonrpc: "2.0", id, error: { code, message: failure.sentence, data: detailsJson(failure) } },
  };
}
