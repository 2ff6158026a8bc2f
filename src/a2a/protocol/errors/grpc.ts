import type { JsonObject } from "../../../shared/json.js";
import { many, mapOf, message } from "../protobuf/table.js";
import { writeMessage } from "../protobuf/write.js";
import { detailsOf, type ErrorDetails } from "./details.js";
import { rpcStatusOf, type StatusTable } from "./status-table.js";
import { failureOf, type RpcStatus } from "./table.js";

/** The answer that an error gets in gRPC (A2A 1.0, 10.6). */
export interface GrpcFailure {
  /** google/rpc/code.proto */
  code: number;
  message: string;
  /** A `google.rpc.Status`, for the metadata `grpc-status-details-bin`. */
  details: Buffer;
}

const CODES: Record<RpcStatus, number> = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
};

/** Characters of one text. All of an error is in headers, of which clients take 8 KiB. */
const TEXT = 300;

export function toGrpcFailure(error: unknown, statuses: StatusTable): GrpcFailure {
  const failure = failureOf(error);
  const code = CODES[rpcStatusOf(failure, statuses)];
  const message = clipped(failure.sentence);
  const details = writeMessage(status, { code, message, details: packed(detailsOf(failure)) });
  return { code, message, details };
}

function packed({ badRequest, errorInfo, retryInfo }: ErrorDetails): JsonObject[] {
  const found: JsonObject[] = [];
  if (badRequest !== undefined) {
    const fieldViolations = badRequest.fieldViolations.map(({ field, description }) => ({
      field: clipped(field),
      description: clipped(description),
    }));
    found.push(any(BAD_REQUEST, { fieldViolations }));
  }
  const metadata = Object.fromEntries(
    Object.entries(errorInfo.metadata).map(([name, value]) => [name, clipped(value)]),
  );
  found.push(any(ERROR_INFO, { ...errorInfo, metadata }));
  if (retryInfo !== undefined) found.push(any(RETRY_INFO, { retryDelay: { seconds: retryInfo.retryDelay } }));
  return found;
}

const any = (table: typeof ERROR_INFO, json: JsonObject): JsonObject => ({
  typeUrl: `type.googleapis.com/google.rpc.${table.name}`,
  value: writeMessage(table, json).toString("base64"),
});

/** Half a character at the end would not be text, and gRPC throws at what is none. */
function clipped(text: string): string {
  const short = text.length <= TEXT ? text : `${text.slice(0, TEXT - 1)}…`;
  return short.replace(/\p{Surrogate}/gu, "\ufffd");
}

/** google/rpc/status.proto and google/rpc/error_details.proto */
const status = message("Status", {
  code: [1, "int32"],
  message: [2, "string"],
  details: [3, many(message("Any", { typeUrl: [1, "string"], value: [2, "bytes"] }))],
});

const ERROR_INFO = message("ErrorInfo", {
  reason: [1, "string"],
  domain: [2, "string"],
  metadata: [3, mapOf("string")],
});

const BAD_REQUEST = message("BadRequest", {
  fieldViolations: [1, many(message("FieldViolation", { field: [1, "string"], description: [2, "string"] }))],
});

const RETRY_INFO = message("RetryInfo", {
  retryDelay: [1, message("Duration", { seconds: [1, "int32"] })],
});
