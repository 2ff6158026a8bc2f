import { deviates, shown } from "../deviation.js";
import type { Json } from "../shapes/check.js";
import type { Facts, WireError } from "./wire.js";

type Table = Readonly<Record<string, { code: number; grpc: number; http: number }>>;

/** A2A 1.0.1, 5.4; the codes of 0.3, 8.2 are the same as far as it has the error. */
export const A2A_ERRORS: Table = {
  TASK_NOT_FOUND: { code: -32001, grpc: 5, http: 404 },
  TASK_NOT_CANCELABLE: { code: -32002, grpc: 9, http: 400 },
  PUSH_NOTIFICATION_NOT_SUPPORTED: { code: -32003, grpc: 9, http: 400 },
  UNSUPPORTED_OPERATION: { code: -32004, grpc: 9, http: 400 },
  CONTENT_TYPE_NOT_SUPPORTED: { code: -32005, grpc: 3, http: 400 },
  INVALID_AGENT_RESPONSE: { code: -32006, grpc: 13, http: 500 },
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: { code: -32007, grpc: 9, http: 400 },
  EXTENSION_SUPPORT_REQUIRED: { code: -32008, grpc: 9, http: 400 },
  VERSION_NOT_SUPPORTED: { code: -32009, grpc: 9, http: 400 },
};

/** As 1.0.0 had them. */
const OLDER: Table = {
  ...A2A_ERRORS,
  TASK_NOT_CANCELABLE: { code: -32002, grpc: 9, http: 409 },
  PUSH_NOTIFICATION_NOT_SUPPORTED: { code: -32003, grpc: 12, http: 400 },
  UNSUPPORTED_OPERATION: { code: -32004, grpc: 12, http: 400 },
  CONTENT_TYPE_NOT_SUPPORTED: { code: -32005, grpc: 3, http: 415 },
  INVALID_AGENT_RESPONSE: { code: -32006, grpc: 13, http: 502 },
  VERSION_NOT_SUPPORTED: { code: -32009, grpc: 12, http: 400 },
};

/** Which patch of 1.0 a server answers by: they differ in the statuses of errors and in media types. */
export type Patch = "1.0.1" | "1.0.0";

const tableOf = (patch: Patch): Table => (patch === "1.0.0" ? OLDER : A2A_ERRORS);

/** A2A 1.0, 9.5; 0.3, 8.1. */
const JSON_RPC_ERRORS: Readonly<Record<string, number>> = {
  PARSE_ERROR: -32700,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,
  INVALID_PARAMS: -32602,
  INTERNAL: -32603,
};

/** What HTTP itself says, whatever the binding (3.3.2). */
const BY_STATUS: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  405: "METHOD_NOT_ALLOWED",
  409: "MESSAGE_ID_CONFLICT",
  413: "BODY_TOO_LARGE",
  429: "RESOURCE_EXHAUSTED",
};

/** Canonical codes of gRPC, by number. */
export const GRPC_STATUS = [
  "OK",
  "CANCELLED", // cspell:disable-line
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
] as const;

const ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest";
const A2A_DOMAIN = "a2a-protocol.org";

/** Details of every binding of 1.0: objects of which each says its type (3.3.2). */
export function checkDetails(details: unknown, where: string): Json[] {
  if (details === undefined) return [];
  if (!Array.isArray(details)) deviates(where, `must be a list of details, is ${shown(details)}`);
  for (const detail of details as Json[]) {
    if (typeof detail?.["@type"] !== "string") deviates(where, `a detail without @type: ${shown(detail)}`);
    if (detail["@type"] === ERROR_INFO) {
      for (const name of ["reason", "domain"]) {
        if (typeof detail[name] !== "string") deviates(where, `ErrorInfo without ${name}: ${shown(detail)}`);
      }
    }
  }
  return details as Json[];
}

function errorInfo(details: readonly Json[]): { reason: string; domain: string } | undefined {
  return details.find((detail) => detail["@type"] === ERROR_INFO) as { reason: string; domain: string } | undefined;
}

/** The reason of an error of A2A itself. */
export function a2aReason(details: readonly Json[]): string | undefined {
  const info = errorInfo(details);
  return info?.domain === A2A_DOMAIN ? info.reason : undefined;
}

/** The fields that a `BadRequest` names. */
export const fieldsOf = ({ details }: WireError): string[] =>
  details
    .filter((detail) => detail["@type"] === BAD_REQUEST)
    .flatMap((detail) => (detail.fieldViolations as { field: string }[]).map(({ field }) => field));

/** An error of JSON-RPC, or of 0.3 over HTTP+JSON, which says the same codes. */
export function errorByCode(code: unknown, message: unknown, details: Json[], facts: Facts): WireError {
  if (!Number.isInteger(code)) deviates("error.code", `must be a whole number, is ${shown(code)}`);
  if (typeof message !== "string" || message === "") deviates("error.message", `must be a text, is ${shown(message)}`);
  const reason = a2aReason(details);
  const named = Object.entries(A2A_ERRORS).find(([, error]) => error.code === code)?.[0];
  if (reason !== undefined && reason !== named) deviates("error", `reason ${reason} with the code ${code}`);
  const common = Object.entries(JSON_RPC_ERRORS).find(([, value]) => value === code)?.[0];
  const info = errorInfo(details);
  const conflict = info?.reason === "MESSAGE_ID_CONFLICT" ? info.reason : undefined;
  const byStatus = facts.status === 200 ? undefined : BY_STATUS[facts.status];
  return {
    names: [conflict ?? named ?? byStatus ?? common ?? String(code)],
    message: message as string,
    details,
    facts,
  };
}

/** The error of an HTTP status and a canonical code, for HTTP+JSON of 1.0. */
export function errorByStatus(status: string, message: string, details: Json[], facts: Facts, patch: Patch): WireError {
  const reason = a2aReason(details);
  if (reason !== undefined) {
    const error = tableOf(patch)[reason];
    if (error === undefined) deviates("error.details", `${reason} is no error of A2A`);
    if (facts.status !== error.http) deviates("HTTP status", `${reason} is ${error.http}, not ${facts.status}`);
    if (status !== GRPC_STATUS[error.grpc]) deviates("error.status", `${reason} is not ${status}`);
    return { names: [reason], message, details, facts };
  }
  const info = errorInfo(details);
  const own = info?.reason === "MESSAGE_ID_CONFLICT" ? info.reason : undefined;
  const names = own === undefined ? namesOfStatus(facts.status, status) : [own];
  return { names, message, details, facts };
}

function namesOfStatus(http: number, status: string): string[] {
  const name = BY_STATUS[http];
  if (name !== undefined) return [name];
  if (http === 404) return ["NOT_FOUND"];
  return status === "INVALID_ARGUMENT" ? ["INVALID_PARAMS", "INVALID_REQUEST", "PARSE_ERROR"] : [status];
}

/** The error of a gRPC status. @param patch null for 0.3, which has no table of its own: there the code alone says less */
export function errorByGrpc(
  code: number,
  message: string,
  details: Json[],
  facts: Facts,
  patch: Patch | null,
): WireError {
  const strict = patch !== null;
  const status = GRPC_STATUS[code] ?? deviates("grpc-status", `${code} is no status`);
  const reason = a2aReason(details);
  if (reason !== undefined) {
    const error = tableOf(patch ?? "1.0.1")[reason];
    if (error === undefined) deviates("status.details", `${reason} is no error of A2A`);
    if (strict && code !== error.grpc)
      deviates("grpc-status", `${reason} is ${GRPC_STATUS[error.grpc]}, not ${status}`);
    return { names: [reason], message, details, facts };
  }
  const info = errorInfo(details);
  if (info?.reason === "MESSAGE_ID_CONFLICT") return { names: [info.reason], message, details, facts };
  return { names: namesOfGrpc(status, strict), message, details, facts };
}

function namesOfGrpc(status: (typeof GRPC_STATUS)[number], strict: boolean): string[] {
  switch (status) {
    case "INVALID_ARGUMENT":
      return ["INVALID_PARAMS", "INVALID_REQUEST", ...(strict ? [] : ["CONTENT_TYPE_NOT_SUPPORTED"])];
    case "ALREADY_EXISTS":
      return ["MESSAGE_ID_CONFLICT"];
    case "NOT_FOUND":
      return strict ? [status] : ["TASK_NOT_FOUND"];
    case "FAILED_PRECONDITION":
    case "UNIMPLEMENTED":
      return strict ? [status] : [status, ...Object.keys(A2A_ERRORS).filter((name) => A2A_ERRORS[name]?.grpc === 9)];
    default:
      return [status];
  }
}
