import { NuncioError } from "../../shared/errors.js";

/** What a caller hears that is not let in, or not any further; the table of each binding says how. */

export const missingScope = (scope: string): NuncioError =>
  new NuncioError("permission_denied", `the credential lacks the scope ${scope}`, { details: { scope } });

export const unauthenticated = (): NuncioError =>
  new NuncioError("unauthenticated", "a valid credential is required", {
    hint: "send the header Authorization: Bearer with an API key",
  });
