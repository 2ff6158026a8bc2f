import { pino } from "pino";

export type Logger = pino.Logger;
type Escape = (line: string) => string;

/** Keys whose values never reach a log line, at the top and one level down. */
const SECRETS = ["key", "apiKey", "token", "authorization", "password", "secret", "hash"];

/**
 * Structured logs on standard error, one JSON object a line: standard output belongs to what a command prints.
 *
 * @param level `trace` to `fatal`, or `silent`
 * @param escapeLine makes of a line of JSON one that means the same and does nothing to whoever looks at it
 */
export function createLogger(level: string, escapeLine: Escape): Logger {
  return pino(
    {
      level,
      redact: { paths: SECRETS.flatMap((key) => [key, `*.${key}`]), censor: "[redacted]" },
      timestamp: pino.stdTimeFunctions.isoTime,
      base: null,
      // Stacks are for us: they are logged, and never leave the process otherwise.
      serializers: { err: pino.stdSerializers.err },
    },
    harmless(pino.destination({ fd: 2, sync: true }), escapeLine),
  );
}

/** Somebody who is watched on a terminal, such as a peer whose card has changed, may have chosen the words of a line. */
export const harmless = (lines: pino.DestinationStream, escapeLine: Escape): pino.DestinationStream => ({
  write: (line) => lines.write(escapeLine(line)),
});
