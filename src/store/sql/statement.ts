/** A value that both databases bind and return. Booleans are 0 and 1, documents are JSON text, times are ms. */
export type SqlValue = string | number | null;
export type SqlParams = Record<string, SqlValue>;
export type SqlRow = Record<string, SqlValue>;

/**
 * One SQL statement with `:named` parameters, written once for both databases. An adapter compiles it the first time it
 * runs and keeps the result under `id`: hot statements are prepared once per connection.
 *
 * Three marks stand for what the databases do differently:
 * - `:clock` is the time of the ledger, ms: PostgreSQL's own, so that nodes need not agree about it; on SQLite, where
 *   there is one process, the `:now` of the command;
 * - `FOR UPDATE` and `SKIP LOCKED` are for a database with several writers, and left out for SQLite, which has one;
 * - a statement made by `lock()` is run by PostgreSQL alone, for the same reason.
 */
export interface Statement<Row extends object = SqlRow> {
  readonly id: number;
  readonly text: string;
  /** It changes nothing. */
  readonly reads: boolean;
  /** It only waits for other transactions. */
  readonly locks: boolean;
  /** Never set: carries the type of the rows. */
  readonly row?: Row;
}

const statements: Statement<object>[] = [];

/** Every statement of the store: their plans are checked, so that none reads a table from end to end. */
export const allStatements = (): readonly Statement<object>[] => statements;

export const sql = <Row extends object = SqlRow>(text: string): Statement<Row> => register(text, false);

/** A statement that takes locks and reads nothing. */
export const lock = (text: string): Statement => register(text, true);

function register<Row extends object>(text: string, locks: boolean): Statement<Row> {
  const writes = /\b(?:INSERT INTO|UPDATE tasks|UPDATE \w+ SET|DELETE FROM)\b/.test(text);
  const statement: Statement<Row> = { id: statements.length, text, reads: !writes, locks };
  statements.push(statement);
  return statement;
}

/** The text with each `:name` replaced, by what `place` answers for it. Casts (`::`) are left alone. */
export const replaceNames = (text: string, place: (name: string) => string): string =>
  text.replace(/(?<!:):([a-z][A-Za-z0-9]*)/g, (_, name: string) => place(name));
