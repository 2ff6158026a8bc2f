import { type ErrorCode, messageOf, NuncioError } from "../../shared/errors.js";

/**
 * The errors of the JSON-RPC binding (A2A 1.0, 5.4 and 9.5; 0.3, 8): one table, from what went wrong to the code on the
 * wire and the HTTP status. Errors of the call itself travel with status 200; only what the listener refuses before,
 * or what a client should treat as a matter of HTTP (credentials, size, load), has a status of its own.
 */
interface WireError {
  code: number;
  status: number;
  /** Reason of the `google.rpc.ErrorInfo`. */
  reason: string;
  domain: string;
}

const A2A_DOMAIN = "a2a-protocol.org";
const OUR_DOMAIN = "nuncio.dev";

const a2a = (code: number, reason: string): WireError => ({ code, status: 200, reason, domain: A2A_DOMAIN });
const ours = (code: number, status: number, reason: string): WireError => ({
  code,
  status,
  reason,
  domain: OUR_DOMAIN,
});

/** Errors that are known by their reason. */
const BY_REASON = new Map<string, WireError>(
  [
    a2a(-32001, "TASK_NOT_FOUND"),
    ours(-32001, 200, "TASK_PURGED"),
    a2a(-32002, "TASK_NOT_CANCELABLE"),
    a2a(-32003, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
    a2a(-32004, "UNSUPPORTED_OPERATION"),
    a2a(-32007, "EXTENDED_AGENT_CARD_NOT_CONFIGURED"),
    a2a(-32009, "VERSION_NOT_SUPPORTED"),
    ours(-32700, 200, "PARSE_ERROR"),
    ours(-32600, 200, "INVALID_REQUEST"),
    ours(-32601, 200, "METHOD_NOT_FOUND"),
    ours(-32602, 200, "MESSAGE_ID_CONFLICT"),
    ours(-32600, 413, "BODY_TOO_LARGE"),
    { code: -32005, status: 415, reason: "CONTENT_TYPE_NOT_SUPPORTED", domain: A2A_DOMAIN },
    ours(-32005, 415, "CONTENT_ENCODING_NOT_SUPPORTED"),
  ].map((error) => [error.reason, error]),
);

/** The rest, by their kind. */
const BY_CODE: Record<ErrorCode, WireError> = {
  invalid_argument: ours(-32602, 200, "INVALID_PARAMS"),
  not_found: a2a(-32001, "TASK_NOT_FOUND"),
  conflict: ours(-32602, 200, "MESSAGE_ID_CONFLICT"),
  failed_precondition: a2a(-32004, "UNSUPPORTED_OPERATION"),
  unsupported: a2a(-32004, "UNSUPPORTED_OPERATION"),
  unauthenticated: ours(-32000, 401, "UNAUTHENTICATED"),
  permission_denied: ours(-32000, 403, "PERMISSION_DENIED"),
  limit_reached: ours(-32000, 429, "RESOURCE_EXHAUSTED"),
  unavailable: ours(-32603, 503, "UNAVAILABLE"),
  lease_lost: ours(-32603, 500, "INTERNAL"),
  internal: ours(-32603, 500, "INTERNAL"),
};

export type JsonRpcId = string | number | null;

export interface JsonRpcFailure {
  status: number;
  body: { jsonrpc: "2.0"; id: JsonRpcId; error: { code: number; message: string; data: object[] } };
}

/** Seconds after which what is `unavailable` may be tried again. */
export const RETRY_AFTER_SECONDS = 1;

/**
 * The answer that an error gets. Only what `NuncioError`s say about themselves leaves the house: anything else is a
 * fault of ours, and its text may hold what is none of the caller's business.
 */
export function toJsonRpcFailure(error: unknown, id: JsonRpcId): JsonRpcFailure {
  const known = error instanceof NuncioError ? error : new NuncioError("internal", "internal error");
  const wire = (known.reason === undefined ? undefined : BY_REASON.get(known.reason)) ?? BY_CODE[known.code];
  return {
    status: wire.status,
    body: {
      jsonrpc: "2.0",
      id,
      error: { code: wire.code, message: sentence(known, wire), data: details(known, wire) },
    },
  };
}

/** Whether an error is a fault of ours, to be logged with its stack. */
export const isOurFault = (error: unknown): boolean =>
  !(error instanceof NuncioError) || error.code === "internal" || error.code === "lease_lost";

function sentence(error: NuncioError, wire: WireError): string {
  if (wire.reason === "INTERNAL") return "Internal error";
  const hinted = error.hint === undefined ? messageOf(error) : `${messageOf(error)}: ${error.hint}`;
  if (error.code === "invalid_argument" && error.field !== undefined) {
    return `Invalid parameters: ${error.field} ${hinted}`;
  }
  return hinted.charAt(0).toUpperCase() + hinted.slice(1);
}

function details(error: NuncioError, wire: WireError): object[] {
  const found: object[] = [];
  if (error.field !== undefined) {
    found.push({
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      fieldViolations: [{ field: error.field, description: messageOf(error) }],
    });
  }
  const metadata = wire.reason === "INTERNAL" ? {} : error.details;
  found.push({
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: wire.reason,
    domain: wire.domain,
    ...(Object.keys(metadata).length === 0 ? {} : { metadata: asStrings(metadata) }),
  });
  if (error.retryable && wire.reason !== "INTERNAL") {
    found.push({ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${RETRY_AFTER_SECONDS}s` });
  }
  return found;
}

/** The values of `ErrorInfo.metadata` are strings. */
const asStrings = (facts: Readonly<Record<string, string | number | boolean>>): Record<string, string> =>
  Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, String(value)]));
