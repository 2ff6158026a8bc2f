import type { SqlRow, SqlValue } from "../sql/statement.js";

/**
 * The few calls that we need of a SQLite driver, so that each Node version can use the one that it has. What SQLite
 * refuses is thrown with SQLite's name for it in `code` (`SQLITE_FULL`), which may go into detail (`SQLITE_IOERR_WRITE`).
 * Integers are numbers; one beyond 2^53, which the ledger never holds, is an error and not another number.
 */
export interface SqliteDriver {
  prepare(text: string): SqliteStatement;
  exec(text: string): void;
  readonly inTransaction: boolean;
  close(): void;
}

export interface SqliteStatement {
  all(values: readonly SqlValue[]): SqlRow[];
  /** How many rows it changed. */
  run(values: readonly SqlValue[]): number;
}

export interface DriverOptions {
  /** The file must exist, and nothing can be written to it. */
  readOnly?: boolean;
}
