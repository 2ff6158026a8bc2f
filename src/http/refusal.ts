import type { Refusal } from "../a2a/server/gate.js";
import { failureAnswer } from "../a2a/server/json-rpc/answer.js";
import { missingScope, policyDenied, tooManyRequests, unauthenticated } from "../a2a/server/refusals.js";
import { ABSENT, type Answer } from "./answer.js";

/** What somebody hears who is not let in. */
export function refusalAnswer(refusal: Refusal): Answer {
  switch (refusal.why) {
    case "absent":
      return ABSENT;
    case "scope":
      return failureAnswer(missingScope(refusal.scope));
    case "policy":
      return failureAnswer(policyDenied());
    case "limited":
      return failureAnswer(tooManyRequests(refusal.retryAfterSeconds));
    case "unauthenticated": {
      const answer = failureAnswer(unauthenticated());
      // RFC 6750, 3: without a credential the challenge names no error.
      const challenge = refusal.shown ? 'Bearer realm="nuncio", error="invalid_token"' : 'Bearer realm="nuncio"';
      return { ...answer, headers: { ...answer.headers, "www-authenticate": challenge } };
    }
  }
}
