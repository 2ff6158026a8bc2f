import { NuncioError } from "../../shared/errors.js";

/** What a caller hears that is not let in, or not any further; the table of each binding says how. */

export const missingScope = (scope: string): NuncioError =>
  new NuncioError("permission_denied", `the credential lacks the scope ${scope}`, { details: { scope } });

/** Whose policy it was is not for the caller to know: the one of a called agent is none of its business. */
export const policyDenied = (): NuncioError =>
  new NuncioError("permission_denied", "the policies of the two agents do not allow this call");

export const unauthenticated = (): NuncioError =>
  new NuncioError("unauthenticated", "a valid credential is required", {
    hint: "send the header Authorization: Bearer with an API key",
  });
