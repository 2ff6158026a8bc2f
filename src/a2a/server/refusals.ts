import { NuncioError } from "../../shared/errors.js";
import { RETRY_AFTER } from "../protocol/errors/details.js";
import type { Refusal } from "./gate.js";

/** What a caller hears that is not let in, or not any further; the table of each binding says how. */

export const missingScope = (scope: string): NuncioError =>
  new NuncioError("permission_denied", `the credential lacks the scope ${scope}`, { details: { scope } });

/** One and the same answer for a task that is absent, another agent's, or not the caller's to see. */
export const taskNotFound = (taskId?: string): NuncioError =>
  new NuncioError("not_found", "task not found", {
    reason: "TASK_NOT_FOUND",
    ...(taskId === undefined ? {} : { details: { taskId } }),
  });

/** Whose policy it was is not for the caller to know: the one of a called agent is none of its business. */
export const policyDenied = (): NuncioError =>
  new NuncioError("permission_denied", "the policies of the two agents do not allow this call");

export const unauthenticated = (): NuncioError =>
  new NuncioError("unauthenticated", "a valid credential is required", {
    hint: "send the header Authorization: Bearer with an API key, or another credential that the card of the agent names",
  });

/** For listeners where a call says which agent it is for: nothing in it may depend on what it said. */
export const noSuchAgent = (): NuncioError =>
  new NuncioError("not_found", "there is no such agent here", {
    reason: "AGENT_NOT_FOUND",
    hint: "call it as its card says; over gRPC its name is TENANT/AGENT",
  });

export const closing = (): NuncioError => new NuncioError("unavailable", "the server is closing");

export const tooManyRequests = (retryAfterSeconds: number): NuncioError =>
  new NuncioError("limit_reached", "too many requests", {
    retryable: true,
    hint: `try again in ${retryAfterSeconds} s`,
    details: { [RETRY_AFTER]: retryAfterSeconds },
  });

export const tooManyOpen = (limit: number): NuncioError =>
  new NuncioError("limit_reached", "too many open streams and waiting calls", {
    retryable: true,
    hint: "end some of them first",
    details: { limit },
  });

/** As an error, where a refusal is one like any other. */
export function refusalError(refusal: Refusal): NuncioError {
  switch (refusal.why) {
    case "absent":
      return noSuchAgent();
    case "unauthenticated":
      return unauthenticated();
    case "scope":
      return missingScope(refusal.scope);
    case "policy":
      return policyDenied();
    case "limited":
      return tooManyRequests(refusal.retryAfterSeconds);
  }
}
