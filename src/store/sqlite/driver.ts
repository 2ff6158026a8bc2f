import type { SqlRow, SqlValue } from "../sql/statement.js";

/** The few calls that we need of a SQLite driver, so that each Node version can use the one that it has. */
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
