import { mayHaveArrived } from "../../outbound/errors.js";
import { type ErrorCode, type ErrorFacts, NuncioError } from "../../shared/errors.js";

/**
 * What went wrong between us and an agent, besides what `outbound/errors.ts` knows. The words of the agent are in none of
 * these messages but quoted and cut: they are data of somebody else.
 */
type AgentReason =
  /** It said no: what was asked for has not been taken up. */
  | "AGENT_REFUSED"
  /** It said that something went wrong on its side; what it had done by then is not known. */
  | "AGENT_FAILED"
  /** What it answered is not an answer of the protocol. */
  | "AGENT_ANSWER_INVALID"
  /** The stream ended before the task did. */
  | "AGENT_STREAM_CUT"
  /** There is no card, or none that we can read. */
  | "AGENT_CARD_INVALID"
  /** The card names no interface that we speak. */
  | "AGENT_INTERFACE_UNSUPPORTED";

export const agentError = (
  code: ErrorCode,
  message: string,
  facts: ErrorFacts & { reason: AgentReason },
): NuncioError => new NuncioError(code, message, facts);

const MAX_QUOTE = 300;

/** The beginning of what somebody else has said, so that it cannot be taken for words of ours. */
const quote = (text: string): string => JSON.stringify(text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text);

/** What an agent answered in place of a result. */
export interface Complaint {
  /** HTTP status. */
  status: number;
  /** Code of the JSON-RPC error. */
  rpcCode: number | undefined;
  /** The `google.rpc.ErrorInfo` reason. */
  reason: string | undefined;
  text: string | undefined;
  /** From `Retry-After`, when it is in seconds. */
  retryAfterSeconds: number | undefined;
}

/** Codes by which an agent says that it has not done what was asked (JSON-RPC 2.0, 5.1; A2A 1.0, 5.4). */
const REFUSING_CODES: Record<number, ErrorCode> = {
  [-32700]: "invalid_argument",
  [-32600]: "invalid_argument",
  [-32601]: "unsupported",
  [-32602]: "invalid_argument",
  [-32001]: "not_found",
  [-32002]: "failed_precondition",
  [-32003]: "unsupported",
  [-32004]: "unsupported",
  [-32005]: "unsupported",
  [-32007]: "unsupported",
  [-32008]: "unsupported",
  [-32009]: "unsupported",
};

const REFUSING_STATUSES: Record<number, ErrorCode> = {
  400: "invalid_argument",
  401: "unauthenticated",
  403: "permission_denied",
  404: "not_found",
  409: "conflict",
  429: "limit_reached",
  501: "unsupported",
};

/** The error for an answer that is one. Whatever is not plainly a refusal may have had an effect. */
export function complained(complaint: Complaint): NuncioError {
  const { status, rpcCode, reason, text, retryAfterSeconds } = complaint;
  const code = refusalOf(complaint);
  const said = text === undefined || text === "" ? `status ${status}` : quote(text);
  const details = {
    status,
    ...(rpcCode !== undefined && { rpcCode }),
    ...(reason !== undefined && { remoteReason: reason }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
  if (code === null) {
    return agentError("unavailable", `the agent failed: ${said}`, { reason: "AGENT_FAILED", details });
  }
  return agentError(code, `the agent refused: ${said}`, {
    reason: "AGENT_REFUSED",
    retryable: code === "limit_reached",
    details,
    ...(code === "unauthenticated" && {
      hint: "give the credential that the agent's card asks for: --token-file FILE, or NUNCIO_A2A_TOKEN",
    }),
  });
}

function refusalOf({ status, rpcCode }: Complaint): ErrorCode | null {
  if (status >= 400 && status < 500) {
    // A server that ran out of time while it read or worked says this one.
    if (status === 408) return null;
    const known = REFUSING_STATUSES[status];
    const precise = rpcCode === undefined ? undefined : REFUSING_CODES[rpcCode];
    return (status === 400 ? (precise ?? known) : (known ?? precise)) ?? "failed_precondition";
  }
  if (rpcCode !== undefined && REFUSING_CODES[rpcCode] !== undefined) return REFUSING_CODES[rpcCode];
  return REFUSING_STATUSES[status] ?? null;
}

export const invalidAnswer = (problem: string, cause?: unknown): NuncioError =>
  agentError("unavailable", `the agent's answer is not valid: ${problem}`, {
    reason: "AGENT_ANSWER_INVALID",
    retryable: false,
    cause,
  });

export const streamCut = (cause?: unknown): NuncioError =>
  agentError("unavailable", "the agent's stream ended before the task did", {
    reason: "AGENT_STREAM_CUT",
    hint: "get the task, or subscribe to it again",
    cause,
  });

/** Whether the agent has certainly not taken up what was sent: it said so, or nothing ever reached it. */
export function wasRefused(error: unknown): boolean {
  if (!NuncioError.is(error)) return false;
  return error.reason === "AGENT_REFUSED" || error.reason === "OUTBOUND_REDIRECT" || !mayHaveArrived(error);
}
