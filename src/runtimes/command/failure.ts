import { existsSync } from "node:fs";
import type { CommandProvider } from "../../personas/provider.js";
import { messageOf, NuncioError } from "../../shared/errors.js";
import type { RunOutcome } from "../../tasks/runner.js";
import type { ChildEnd } from "./run-child.js";

/** A value of the configured environment that is at least this long is taken for a secret. */
const SECRET_LENGTH = 8;

/** An answer is never cut silently: one that is too long is an error, which another attempt would only repeat. */
export const outputLimit = (command: string, bytes: number): NuncioError =>
  new NuncioError("failed_precondition", `"${command}" printed more than ${bytes} bytes and was stopped`, {
    reason: "OUTPUT_LIMIT",
  });

/** The program ended, but not well; another attempt may fare better. With all that is kept of its standard error. */
export function exitFailure(provider: CommandProvider, end: ChildEnd): RunOutcome {
  const how = end.code === null ? `was ended by ${end.signal}` : `exited with code ${end.code}`;
  const said = withoutSecrets(end.errorOutput.trim(), provider);
  return { type: "failed", reason: `"${provider.command}" ${how}${said === "" ? "" : `: ${said}`}`, retryable: true };
}

/** The program could not be started. */
export function startFailure(provider: CommandProvider, error: unknown): NuncioError {
  const { command, cwd } = provider;
  switch ((error as NodeJS.ErrnoException).code) {
    case "ENOENT":
      return cwd !== undefined && !existsSync(cwd)
        ? final(`"${command}" cannot be started: its directory ${cwd} (cwd) does not exist`)
        : final(`"${command}" was not found: install it, or give its whole path as command`);
    case "ENOTDIR":
      return final(`"${command}" cannot be started: a part of its path is no directory`);
    case "EACCES":
      return final(`"${command}" cannot be started: the daemon's user may not execute it`);
    case "E2BIG":
      return final(`the prompt is too long for an argument of "${command}": set promptAs to stdin`);
    default: {
      const message = `"${command}" cannot be started: ${withoutSecrets(messageOf(error), provider)}`;
      return new NuncioError("unavailable", message, { cause: error });
    }
  }
}

const final = (message: string): NuncioError => new NuncioError("failed_precondition", message);

function withoutSecrets(text: string, { env }: CommandProvider): string {
  let clean = text;
  for (const value of Object.values(env ?? {})) {
    if (value.length >= SECRET_LENGTH) clean = clean.replaceAll(value, "[redacted]");
  }
  return clean;
}
