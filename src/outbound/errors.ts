import { type ErrorCode, type ErrorFacts, NuncioError } from "../shared/errors.js";

/**
 * Why something did not go out, or did not come back. None of these errors says what answered: no address, no status
 * text and no byte of a body is in it, since a stranger may have chosen the URL in order to learn just that.
 */
export type OutboundReason =
  /** The text of the URL is not one that we open. */
  | "OUTBOUND_URL_REFUSED"
  /** Plain http where https is demanded. */
  | "OUTBOUND_HTTPS_REQUIRED"
  /** At least one address of the host is not public, or the host is a metadata service. */
  | "OUTBOUND_ADDRESS_REFUSED"
  /** The name has no address, or could not be asked for. */
  | "OUTBOUND_UNRESOLVED"
  /** No connection. */
  | "OUTBOUND_UNREACHABLE"
  /** No connection that is encrypted to a certificate of this host. */
  | "OUTBOUND_TLS"
  | "OUTBOUND_TIMEOUT"
  | "OUTBOUND_REDIRECT"
  | "OUTBOUND_TOO_LARGE"
  /** What came back is not HTTP, or broke off. */
  | "OUTBOUND_BROKEN";

interface Facts extends ErrorFacts {
  reason: OutboundReason;
  /** Whether bytes of the request may have reached the other side. */
  sent: boolean;
}

const outboundError = (code: ErrorCode, message: string, { sent, details, ...facts }: Facts) =>
  new NuncioError(code, message, { ...facts, details: { ...details, sent } });

export const urlRefused = (problem: string) =>
  outboundError("invalid_argument", `the URL ${problem}`, { reason: "OUTBOUND_URL_REFUSED", sent: false });

export const httpsRequired = () =>
  outboundError("permission_denied", "the URL must begin with https:// in production", {
    reason: "OUTBOUND_HTTPS_REQUIRED",
    sent: false,
  });

export const addressRefused = (host: string) =>
  outboundError("permission_denied", `${host} does not lead to a public address`, {
    reason: "OUTBOUND_ADDRESS_REFUSED",
    sent: false,
  });

/** Of what the operator has named himself, so that it may be told which address it was. */
export const pinRefused = (problem: string) =>
  outboundError("permission_denied", problem, { reason: "OUTBOUND_ADDRESS_REFUSED", sent: false });

export const unresolved = (host: string, cause?: unknown) =>
  outboundError("unavailable", `${host} could not be resolved`, { reason: "OUTBOUND_UNRESOLVED", sent: false, cause });

export const unreachable = (host: string, cause?: unknown) =>
  outboundError("unavailable", `${host} could not be reached`, { reason: "OUTBOUND_UNREACHABLE", sent: false, cause });

export const untrusted = (host: string, cause?: unknown) =>
  outboundError("unavailable", `no trusted TLS connection to ${host} could be made`, {
    reason: "OUTBOUND_TLS",
    sent: false,
    cause,
  });

export type Phase = "connect" | "headers" | "body" | "total";

export const timedOut = (host: string, phase: Phase, ms: number, sent: boolean) =>
  outboundError("unavailable", `${host} ${PHASES[phase]} within ${ms} ms`, {
    reason: "OUTBOUND_TIMEOUT",
    sent,
    details: { phase },
  });

const PHASES: Record<Phase, string> = {
  connect: "could not be connected to",
  headers: "did not answer",
  body: "did not go on with its answer",
  total: "was not done",
};

export const redirected = (host: string) =>
  outboundError("failed_precondition", `${host} answered with a redirect, which is not followed`, {
    reason: "OUTBOUND_REDIRECT",
    sent: true,
  });

export const tooLarge = (host: string, what: "headers" | "body", maxBytes: number) =>
  outboundError("failed_precondition", `the ${what} of the answer of ${host} have more than ${maxBytes} bytes`, {
    reason: "OUTBOUND_TOO_LARGE",
    sent: true,
  });

export const broken = (host: string, cause?: unknown) =>
  outboundError("unavailable", `the answer of ${host} broke off or is not HTTP`, {
    reason: "OUTBOUND_BROKEN",
    sent: true,
    cause,
  });

/**
 * Whether a request that failed with `error` may have had an effect on the other side. False is certain; anything that
 * we do not know, such as an abort, may have arrived.
 */
export const mayHaveArrived = (error: unknown): boolean => !(NuncioError.is(error) && error.details.sent === false);
