import { NuncioError } from "../shared/errors.js";

const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/** `NUNCIO_LOG_LEVEL`, or `info`. A word that is no level is the mistake of whoever set it. */
export function logLevel({ NUNCIO_LOG_LEVEL: level }: NodeJS.ProcessEnv): string {
  if (level === undefined || level === "") return "info";
  if (LEVELS.includes(level)) return level;
  throw new NuncioError("invalid_argument", `NUNCIO_LOG_LEVEL is ${JSON.stringify(level)}, which is no level`, {
    hint: `use one of ${LEVELS.join(", ")}`,
  });
}
