import { NuncioError } from "./errors.js";
import { readSecretFile } from "./secret-file.js";
import { strictJson } from "./strict-json.js";

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
  if (text.trim() === "") throw fileRefused(file, "is empty", hints.make);
  const read = strictJson(text);
  if ("problem" in read) throw fileRefused(file, read.problem, hints.mend);
  return read.value;
}
