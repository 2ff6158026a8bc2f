import { isUtf8 } from "node:buffer";
import { NuncioError } from "../../shared/errors.js";
import type { JsonRpcId } from "./errors/json-rpc.js";
import { LIMITS } from "./limits.js";

/** A JSON-RPC 2.0 request whose envelope is in order; what `params` holds is for the operation to check. */
export interface JsonRpcCall {
  id: JsonRpcId;
  method: string;
  params: unknown;
}

/** A request that is not one. `id` is set where the request had a usable one, so that the answer can carry it. */
export class EnvelopeError extends NuncioError {
  readonly id: JsonRpcId;

  constructor(reason: "PARSE_ERROR" | "INVALID_REQUEST", message: string, id: JsonRpcId = null) {
    super("invalid_argument", message, { reason });
    this.id = id;
  }
}

/** Reads a request body. Batches and notifications are refused: every operation of A2A has one answer. */
export function readEnvelope(body: Buffer): JsonRpcCall {
  const value = parseJson(body);
  if (Array.isArray(value)) {
    throw new EnvelopeError("INVALID_REQUEST", "batches are not supported: send one request per call");
  }
  if (typeof value !== "object" || value === null) {
    throw new EnvelopeError("INVALID_REQUEST", "a request must be a JSON object");
  }
  const { jsonrpc, id, method, params } = value as Record<string, unknown>;
  if (id === undefined) throw new EnvelopeError("INVALID_REQUEST", "id is required: notifications are not supported");
  if (!isUsableId(id)) {
    throw new EnvelopeError(
      "INVALID_REQUEST",
      `id must be a string of at most ${LIMITS.requestIdLength} characters, a whole number or null`,
    );
  }
  if (jsonrpc !== "2.0") throw new EnvelopeError("INVALID_REQUEST", 'jsonrpc must be "2.0"', id);
  if (typeof method !== "string" || method === "") {
    throw new EnvelopeError("INVALID_REQUEST", "method must be the name of an operation", id);
  }
  return { id, method, params };
}

/** Every text of JSON that comes as the body of a request. */
export function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new EnvelopeError("PARSE_ERROR", "the body is not valid UTF-8");
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    // The parser's own message quotes the body, and with it whatever secret it holds.
    throw new EnvelopeError("PARSE_ERROR", "the body is not valid JSON");
  }
}

/** Ids come back exactly as they were sent, so only those are taken that JSON numbers can hold. */
function isUsableId(id: unknown): id is JsonRpcId {
  if (id === null) return true;
  if (typeof id === "number") return Number.isSafeInteger(id);
  return typeof id === "string" && id.length <= LIMITS.requestIdLength && !/[\ud800-\udfff]/u.test(id);
}
