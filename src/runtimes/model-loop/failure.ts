import { APICallError, NoOutputGeneratedError } from "ai";
import { NuncioError } from "../../shared/errors.js";

/** How much of what a provider says about an error is passed on, in characters. */
const MAX_DETAIL = 500;

/** Answers that the same request may not get again later. Everything from 500 on belongs to them, too. */
const RETRYABLE_STATUS: readonly number[] = [408, 409, 425, 429];

/** Types of errors that providers send within an answer that began well, and that a repetition cannot heal. */
const FINAL_ERROR_TYPES: readonly unknown[] = [
  "invalid_request_error",
  "authentication_error",
  "permission_error",
  "not_found_error",
  "request_too_large",
];

/** The model stopped before it had finished: the connection ended as if all was well, but the last event is missing. */
export const endedEarly = (provider: string): NuncioError =>
  failure(provider, "ended its answer early, without saying that it was complete", true);

/**
 * What went wrong in a model call, in one sentence that may be shown to the caller, and whether to try again.
 * Of the provider's own words it has at most 500 characters, and none of `secrets`.
 */
export function providerFailure(provider: string, error: unknown, secrets: readonly string[]): NuncioError {
  const detail = (text: unknown) => detailOf(text, secrets);
  if (APICallError.isInstance(error)) {
    const status = error.statusCode;
    if (status !== undefined && (status < 200 || status >= 300)) {
      const retryable = status >= 500 || RETRYABLE_STATUS.includes(status);
      return failure(provider, `answered with HTTP ${status}${detail(error.message)}`, retryable, error);
    }
    const what = status === undefined ? "could not be reached" : "broke off its answer";
    return failure(provider, `${what}${detail(causeOf(error).message)}`, true, error);
  }
  if (NoOutputGeneratedError.isInstance(error)) return endedEarly(provider);
  if (isErrorEvent(error)) {
    const retryable = !FINAL_ERROR_TYPES.includes(error.type);
    return failure(provider, `broke off its answer with an error${detail(error.message)}`, retryable);
  }
  const message = error instanceof Error ? causeOf(error).message : error;
  return failure(provider, `gave no usable answer${detail(message)}`, true, error);
}

function failure(provider: string, what: string, retryable: boolean, cause?: unknown): NuncioError {
  return new NuncioError(retryable ? "unavailable" : "failed_precondition", `provider "${provider}" ${what}`, {
    retryable,
    cause,
  });
}

function detailOf(text: unknown, secrets: readonly string[]): string {
  if (typeof text !== "string" || text.trim() === "") return "";
  let clean = text.replace(/\s+/g, " ").trim();
  for (const secret of secrets) clean = clean.replaceAll(secret, "[redacted]");
  return `: ${clean.length > MAX_DETAIL ? `${clean.slice(0, MAX_DETAIL)}…` : clean}`;
}

/** The innermost error: "connect ECONNREFUSED 127.0.0.1:1" says more than "fetch failed". */
function causeOf(error: Error): Error {
  let inner = error;
  for (let depth = 0; depth < 5 && inner.cause instanceof Error; depth++) inner = inner.cause;
  return inner;
}

const isErrorEvent = (error: unknown): error is { message?: unknown; type?: unknown } =>
  typeof error === "object" && error !== null && !(error instanceof Error) && "message" in error;
