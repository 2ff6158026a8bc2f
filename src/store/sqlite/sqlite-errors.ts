import { NuncioError } from "../../shared/errors.js";

/** Faults of the disk or file: the command was not done, and the same command may succeed later. */
const UNAVAILABLE: Record<string, string> = {
  SQLITE_FULL: "the disk that holds the ledger is full",
  SQLITE_READONLY: "the ledger cannot be written",
  SQLITE_IOERR: "reading or writing the ledger failed",
  SQLITE_BUSY: "the ledger is locked by another process",
  SQLITE_CANTOPEN: "the ledger cannot be opened",
  SQLITE_NOMEM: "there is not enough memory for the ledger",
};

/** Codes carry details behind the primary one (`SQLITE_IOERR_WRITE`). */
export function fromSqlite(error: unknown): unknown {
  const code = (error as { code?: unknown }).code;
  if (typeof code !== "string" || !code.startsWith("SQLITE_")) return error;
  const primary = code.split("_").slice(0, 2).join("_");
  const text = UNAVAILABLE[primary];
  if (text !== undefined) return new NuncioError("unavailable", text, { reason: primary, cause: error });
  return new NuncioError("internal", `the ledger refused a statement (${code})`, { cause: error });
}

/** Why a file of the data directory cannot be opened, with its name and what to do: for whoever starts a daemon. */
export function openingRefusal(error: unknown, file: string): unknown {
  const known = fromSqlite(error);
  if (!NuncioError.is(known) || known.cause !== error) return known;
  const damaged = /^SQLITE_(?:NOTADB|CORRUPT)/.test((error as { code: string }).code);
  return new NuncioError(
    "failed_precondition",
    damaged ? `${file} is damaged, or is no SQLite database` : `${file} cannot be used: ${known.message}`,
    {
      ...(known.reason === undefined ? {} : { reason: known.reason }),
      hint: damaged
        ? "restore it from a backup, or move it away to begin with an empty one"
        : "make it a file that this user may read and write, with room on its disk",
      cause: error,
    },
  );
}
