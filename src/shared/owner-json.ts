import { hasDuplicateKeys } from "./duplicate-keys.js";
import { NuncioError } from "./errors.js";
import { readSecretFile } from "./secret-file.js";

/** What is said of a file that the operator wrote and that cannot be taken: where, why, and what mends it. */
export const fileRefused = (file: string, what: string, hint: string): NuncioError =>
  new NuncioError("failed_precondition", `${file} ${what}`, { reason: "OPERATOR_FILE_REFUSED", hint });

/**
 * Reads JSON that the operator vouches for, from a file that nobody else may read or write (see `readSecretFile`). What is in
 * it is in no message: a parser would quote it, and there may be a secret in it.
 *
 * @param hints what makes the file where it is missing, and what mends its content
 * @throws NuncioError SECRET_FILE_REFUSED, OPERATOR_FILE_REFUSED
 */
export function readOwnerJson(file: string, maxBytes: number, hints: { make: string; mend: string }): unknown {
  const text = readSecretFile(file, maxBytes);
  if (text === null) throw fileRefused(file, "does not exist", hints.make);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw fileRefused(file, "is not JSON", hints.mend);
  }
  // Which of them counts is up to the reader: what somebody reviewed and what we take might be two things.
  if (hasDuplicateKeys(text)) throw fileRefused(file, "has the same field twice", hints.mend);
  return value;
}
