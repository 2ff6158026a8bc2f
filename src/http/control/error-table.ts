import { type ErrorCode, NuncioError } from "../../shared/errors.js";

/** HTTP status per error code: the only place where the control API decides on one. */
const STATUS: Record<ErrorCode, number> = {
  invalid_argument: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  conflict: 409,
  lease_lost: 409,
  failed_precondition: 412,
  unsupported: 422,
  limit_reached: 429,
  internal: 500,
  unavailable: 503,
};

export interface ErrorAnswer {
  status: number;
  body: {
    error: {
      code: ErrorCode;
      message: string;
      field?: string;
      reason?: string;
      hint?: string;
      retryable?: boolean;
      requestId: string;
    };
  };
}

/** The answer to anything thrown. What is not ours to explain to the caller becomes `internal` without its text. */
export function errorAnswer(thrown: unknown, requestId: string): ErrorAnswer {
  const error = explained(thrown);
  const { code, message, field, reason, hint, retryable } = error;
  return {
    status: STATUS[code],
    body: {
      error: {
        code,
        message,
        ...(field !== undefined && { field }),
        ...(reason !== undefined && { reason }),
        ...(hint !== undefined && { hint }),
        ...(retryable && { retryable }),
        requestId,
      },
    },
  };
}

function explained(thrown: unknown): NuncioError {
  if (thrown instanceof NuncioError) return thrown;
  return new NuncioError("internal", "the daemon could not do this", {
    hint: "its log says why, under the request's id",
  });
}
