import { NuncioError } from "../../shared/errors.js";

const REASON = "FORMAT_TOO_NEW";

/**
 * Refuses to read what a newer version wrote: it may mean something that this one does not know, and a task that is
 * misread is worse than one that waits for the right program. `what` says where it stands, such as `event 3`.
 */
export function requireKnownFormat(format: number, known: number, taskId: string, what: string): void {
  if (format <= known) return;
  throw new NuncioError(
    "unavailable",
    `${what} of task ${taskId} has format ${format}, and only ${known} is known here`,
    {
      reason: REASON,
      hint: "a newer version of nuncio wrote it: the task goes on when that one runs again",
      details: { taskId, format },
    },
  );
}

/** The task was written by a newer version; everything else about the ledger is as it should be. */
export const isFormatTooNew = (error: unknown): error is NuncioError =>
  NuncioError.is(error, "unavailable") && error.reason === REASON;
