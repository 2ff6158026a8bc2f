import { pino } from "pino";

export type Logger = pino.Logger;

/** Keys whose values never reach a log line, at the top and one level down. */
const SECRETS = ["key", "apiKey", "token", "authorization", "password", "secret", "hash"];

/**
 * Structured logs on standard error, one JSON object a line: standard output belongs to what a command prints.
 *
 * @param level `trace` to `fatal`, or `silent`
 */
export function createLogger(level = "info"): Logger {
  return pino(
    {
      level,
      redact: { paths: SECRETS.flatMap((key) => [key, `*.${key}`]), censor: "[redacted]" },
      timestamp: pino.stdTimeFunctions.isoTime,
      base: null,
      // Stacks are for us: they are logged, and never leave the process otherwise.
      serializers: { err: pino.stdSerializers.err },
    },
    pino.destination({ fd: 2, sync: true }),
  );
}
