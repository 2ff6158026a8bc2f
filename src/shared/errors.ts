/**
 * The errors of Nuncio. An error carries facts, not formatting: each edge (JSON-RPC, control API, CLI, host tools)
 * has one table that maps `code` to its own form, so that the domain knows nothing of HTTP.
 */
export type ErrorCode =
  | "invalid_argument" // the caller's mistake; `field` names where
  | "not_found" // absent, or not the caller's to see
  | "conflict" // the same id with another content, or a stale revision
  | "failed_precondition" // the thing exists, but its state does not allow this
  | "limit_reached" // a guard (hops, target, fan-out) said no; the caller may handle it
  | "unauthenticated"
  | "permission_denied"
  | "unsupported" // not offered here
  | "unavailable" // try again later: disk full, overloaded, draining
  | "lease_lost" // somebody else owns this attempt, or the task has ended
  | "internal";

export interface ErrorFacts {
  /** Dotted path of the offending field, e.g. `message.parts[0].text`. */
  field?: string;
  /** A stable upper-case word that machines may match, e.g. `MESSAGE_ID_CONFLICT`. */
  reason?: string;
  /** What the reader should do next. */
  hint?: string;
  /** Whether the same request may succeed later without a change. Default: only `unavailable`. */
  retryable?: boolean;
  /** Further facts for logs and error details. Never secrets. */
  details?: Record<string, string | number | boolean>;
  cause?: unknown;
}

export class NuncioError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly reason: string | undefined;
  readonly hint: string | undefined;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, string | number | boolean>>;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = "NuncioError";
    this.code = code;
    this.field = facts.field;
    this.reason = facts.reason;
    this.hint = facts.hint;
    this.retryable = facts.retryable ?? code === "unavailable";
    this.details = facts.details ?? {};
  }

  static is(value: unknown, code?: ErrorCode): value is NuncioError {
    return value instanceof NuncioError && (code === undefined || value.code === code);
  }
}

export const invalidArgument = (field: string, message: string, facts: ErrorFacts = {}) =>
  new NuncioError("invalid_argument", message, { ...facts, field });

export const notFound = (what: string, id: string, hint?: string) =>
  new NuncioError("not_found", `${what} ${JSON.stringify(id)} was not found`, hint === undefined ? {} : { hint });

export const leaseLost = (taskId: string) =>
  new NuncioError("lease_lost", `the attempt no longer owns task ${taskId}`, { details: { taskId } });

/** The message of anything thrown, bounded, without a stack. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
}
