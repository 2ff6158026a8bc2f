import { DaemonGoneError, NoDaemonError } from "../client/errors.js";
import { type ErrorCode, messageOf, NuncioError } from "../shared/errors.js";
import { EXIT, type ExitCode } from "./exit-code.js";
import { harmless } from "./harmless.js";
import type { Output } from "./output.js";

const EXIT_OF: Partial<Record<ErrorCode, ExitCode>> = {
  invalid_argument: EXIT.usage,
  not_found: EXIT.usage,
  conflict: EXIT.usage,
  failed_precondition: EXIT.usage,
  limit_reached: EXIT.usage,
  unsupported: EXIT.usage,
  permission_denied: EXIT.usage,
};

/** Says what happened, where, and what to do next; with `--json` also as `{ error }` on standard output. */
export function explain(error: unknown, out: Output, env: NodeJS.ProcessEnv): ExitCode {
  const { colors } = out;
  const known = error instanceof NuncioError;
  const code = known ? error.code : "internal";
  const hint = known
    ? error.hint && withoutTokens(error.hint)
    : "this is a fault of nuncio; NUNCIO_DEBUG=1 shows where";
  const requestId = known ? error.details.requestId : undefined;
  const message = withoutTokens(messageOf(error));
  out.note(`${colors.red("error:")} ${harmless(message)}`);
  if (hint !== undefined) out.note(`${colors.dim("  next:")} ${harmless(hint)}`);
  if (code === "internal" && requestId !== undefined) out.note(`${colors.dim("  request:")} ${requestId}`);
  if (env.NUNCIO_DEBUG === "1" && error instanceof Error) out.note(harmless(error.stack ?? ""));
  if (out.json) {
    const field = known ? error.field : undefined;
    out.result({ error: { code, message, field, hint } }, () => "");
  }
  return exitCodeOf(error);
}

/** A token that was pasted where a name or a file belongs: what is said of it goes into logs and reports. */
const withoutTokens = (text: string): string => text.replace(/np_[\w-]{43}/g, "np_…");

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof NoDaemonError || error instanceof DaemonGoneError) return EXIT.noDaemon;
  // What may succeed later as it is was asked for in the right way.
  if (!(error instanceof NuncioError) || error.retryable) return EXIT.failed;
  return EXIT_OF[error.code] ?? EXIT.failed;
}
