import { messageOf, NuncioError } from "../../../shared/errors.js";
import type { Failure } from "./table.js";

/** The details of an error (google/rpc/error_details.proto), which every binding carries in its own way. */
export interface ErrorDetails {
  badRequest?: { fieldViolations: { field: string; description: string }[] };
  errorInfo: { reason: string; domain: string; metadata: Record<string, string> };
  /** Seconds. */
  retryInfo?: { retryDelay: number };
}

/** Seconds after which what is `unavailable` may be tried again, when the error does not say. */
const RETRY_AFTER_SECONDS = 1;

/** Detail of a `limit_reached` or `unavailable` error: seconds after which it is worth trying again. */
export const RETRY_AFTER = "retryAfterSeconds";

export function detailsOf({ wire, error }: Failure): ErrorDetails {
  const hidden = wire.reason === "INTERNAL";
  const details: ErrorDetails = {
    errorInfo: { reason: wire.reason, domain: wire.domain, metadata: hidden ? {} : asStrings(error.details) },
  };
  if (error.field !== undefined) {
    details.badRequest = { fieldViolations: [{ field: error.field, description: messageOf(error) }] };
  }
  if (error.retryable && !hidden) details.retryInfo = { retryDelay: retryAfterOf(error) };
  return details;
}

export function retryAfterOf(error: unknown): number {
  const given = NuncioError.is(error) ? error.details[RETRY_AFTER] : undefined;
  return typeof given === "number" && given > 0 ? Math.ceil(given) : RETRY_AFTER_SECONDS;
}

/** In the JSON form of `google.protobuf.Any`. */
export function detailsJson(failure: Failure): object[] {
  const { badRequest, errorInfo, retryInfo } = detailsOf(failure);
  const { reason, domain, metadata } = errorInfo;
  const found: object[] = [];
  if (badRequest !== undefined) found.push({ "@type": `${TYPE}BadRequest`, ...badRequest });
  found.push({
    "@type": `${TYPE}ErrorInfo`,
    reason,
    domain,
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  });
  if (retryInfo !== undefined) found.push({ "@type": `${TYPE}RetryInfo`, retryDelay: `${retryInfo.retryDelay}s` });
  return found;
}

const TYPE = "type.googleapis.com/google.rpc.";

/** The values of `ErrorInfo.metadata` are strings. */
const asStrings = (facts: Readonly<Record<string, string | number | boolean>>): Record<string, string> =>
  Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, String(value)]));
