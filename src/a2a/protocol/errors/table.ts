import { type ErrorCode, messageOf, NuncioError } from "../../../shared/errors.js";

/** A code of google.rpc (google/rpc/code.proto): the status of gRPC, and the word in an error of REST. */
export type RpcStatus =
  | "INVALID_ARGUMENT"
  | "NOT_FOUND"
  | "ALREADY_EXISTS"
  | "FAILED_PRECONDITION"
  | "UNIMPLEMENTED"
  | "UNAUTHENTICATED"
  | "PERMISSION_DENIED"
  | "RESOURCE_EXHAUSTED"
  | "UNAVAILABLE"
  | "INTERNAL";

/**
 * What an error is on the wire of each binding (A2A 1.0, 5.4; 0.3, 8). Errors of a JSON-RPC call travel with status 200;
 * only what the listener refuses before, or what a client should treat as a matter of HTTP (credentials, size, load), has
 * a status of its own there.
 */
export interface WireError {
  /** Code of a JSON-RPC error. */
  code: number;
  /** HTTP status of the answer that carries the JSON-RPC error. */
  envelope: number;
  grpc: RpcStatus;
  /** HTTP status of the REST binding. */
  rest: number;
  /** Reason and domain of the `google.rpc.ErrorInfo`. */
  reason: string;
  domain: string;
}

const A2A_DOMAIN = "a2a-protocol.org";
const OUR_DOMAIN = "nuncio.dev";

type Row = [code: number, envelope: number, grpc: RpcStatus, rest: number];

const rows = (domain: string, table: Record<string, Row>): [string, WireError][] =>
  Object.entries(table).map(([reason, [code, envelope, grpc, rest]]) => [
    reason,
    { code, envelope, grpc, rest, reason, domain },
  ]);

/** Errors that are known by their reason. */
const BY_REASON = new Map<string, WireError>([
  ...rows(A2A_DOMAIN, {
    TASK_NOT_FOUND: [-32001, 200, "NOT_FOUND", 404],
    TASK_NOT_CANCELABLE: [-32002, 200, "FAILED_PRECONDITION", 400],
    PUSH_NOTIFICATION_NOT_SUPPORTED: [-32003, 200, "FAILED_PRECONDITION", 400],
    UNSUPPORTED_OPERATION: [-32004, 200, "FAILED_PRECONDITION", 400],
    CONTENT_TYPE_NOT_SUPPORTED: [-32005, 415, "INVALID_ARGUMENT", 400],
    EXTENDED_AGENT_CARD_NOT_CONFIGURED: [-32007, 200, "FAILED_PRECONDITION", 400],
    EXTENSION_SUPPORT_REQUIRED: [-32008, 200, "FAILED_PRECONDITION", 400],
    VERSION_NOT_SUPPORTED: [-32009, 200, "FAILED_PRECONDITION", 400],
  }),
  ...rows(OUR_DOMAIN, {
    TASK_PURGED: [-32001, 200, "NOT_FOUND", 404],
    AGENT_NOT_FOUND: [-32001, 404, "NOT_FOUND", 404],
    PARSE_ERROR: [-32700, 200, "INVALID_ARGUMENT", 400],
    INVALID_REQUEST: [-32600, 200, "INVALID_ARGUMENT", 400],
    METHOD_NOT_FOUND: [-32601, 200, "UNIMPLEMENTED", 404],
    PATH_NOT_FOUND: [-32601, 404, "NOT_FOUND", 404],
    METHOD_NOT_ALLOWED: [-32601, 405, "UNIMPLEMENTED", 405],
    // Stricter than the specification, on purpose: the same id for other words is a mistake that must be seen.
    MESSAGE_ID_CONFLICT: [-32602, 200, "ALREADY_EXISTS", 409],
    // What a peer hears whose grant admits no more than it has.
    GRANT_SPENT: [-32004, 200, "FAILED_PRECONDITION", 400],
    NEEDS_OPERATOR: [-32004, 200, "FAILED_PRECONDITION", 400],
    BODY_TOO_LARGE: [-32600, 413, "RESOURCE_EXHAUSTED", 413],
    CONTENT_ENCODING_NOT_SUPPORTED: [-32005, 415, "INVALID_ARGUMENT", 415],
  }),
]);

const ours = (reason: string, ...[code, envelope, grpc, rest]: Row): WireError => ({
  ...{ code, envelope, grpc, rest, reason },
  domain: OUR_DOMAIN,
});
const known = (reason: string): WireError => BY_REASON.get(reason) as WireError;

/** The rest, by their kind. */
const BY_CODE: Record<ErrorCode, WireError> = {
  invalid_argument: ours("INVALID_PARAMS", -32602, 200, "INVALID_ARGUMENT", 400),
  not_found: known("TASK_NOT_FOUND"),
  conflict: known("MESSAGE_ID_CONFLICT"),
  failed_precondition: known("UNSUPPORTED_OPERATION"),
  unsupported: known("UNSUPPORTED_OPERATION"),
  unauthenticated: ours("UNAUTHENTICATED", -32000, 401, "UNAUTHENTICATED", 401),
  permission_denied: ours("PERMISSION_DENIED", -32000, 403, "PERMISSION_DENIED", 403),
  limit_reached: ours("RESOURCE_EXHAUSTED", -32000, 429, "RESOURCE_EXHAUSTED", 429),
  unavailable: ours("UNAVAILABLE", -32603, 503, "UNAVAILABLE", 503),
  lease_lost: ours("INTERNAL", -32603, 500, "INTERNAL", 500),
  internal: ours("INTERNAL", -32603, 500, "INTERNAL", 500),
};

/** An error as a binding writes it. */
export interface Failure {
  wire: WireError;
  /** One sentence for people, without anything that is none of the caller's business. */
  sentence: string;
  error: NuncioError;
}

/**
 * Only what `NuncioError`s say about themselves leaves the house: anything else is a fault of ours, and its text may hold
 * what is none of the caller's business.
 */
export function failureOf(thrown: unknown): Failure {
  const error = thrown instanceof NuncioError ? thrown : new NuncioError("internal", "internal error");
  const wire = (error.reason === undefined ? undefined : BY_REASON.get(error.reason)) ?? BY_CODE[error.code];
  return { wire, sentence: sentenceOf(error, wire), error };
}

/** Whether an error is a fault of ours, to be logged with its stack. */
export const isOurFault = (error: unknown): boolean =>
  !(error instanceof NuncioError) || error.code === "internal" || error.code === "lease_lost";

function sentenceOf(error: NuncioError, wire: WireError): string {
  if (wire.reason === "INTERNAL") return "Internal error";
  const hinted = error.hint === undefined ? messageOf(error) : `${messageOf(error)}: ${error.hint}`;
  if (error.code === "invalid_argument" && error.field !== undefined) {
    return `Invalid parameters: ${error.field} ${hinted}`;
  }
  return hinted.charAt(0).toUpperCase() + hinted.slice(1);
}
