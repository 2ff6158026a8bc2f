/** A value that both databases bind and return. Booleans are 0 and 1, documents are JSON text, times are ms. */
export type SqlValue = string | number | null;
export type SqlParams = Record<string, SqlValue>;
export type SqlRow = Record<string, SqlValue>;

/**
 * One SQL statement with `:named` parameters, written once for both databases. An adapter compiles it the first time it
 * runs and keeps the result under `id`: hot statements are prepared once per connection.
 */
export interface Statement<Row extends object = SqlRow> {
  readonly id: number;
  readonly text: string;
  /** Parameter names in order of appearance; a name that appears twice is bound twice. */
  readonly names: readonly string[];
  /** The text with each parameter replaced by `?`. */
  readonly positional: string;
  /** It changes nothing. */
  readonly reads: boolean;
  /** Never set: carries the type of the rows. */
  readonly row?: Row;
}

const statements: Statement<object>[] = [];

/** Every statement of the store: their plans are checked, so that none reads a table from end to end. */
export const allStatements = (): readonly Statement<object>[] => statements;

export function sql<Row extends object = SqlRow>(text: string): Statement<Row> {
  const names: string[] = [];
  const positional = text.replace(/(?<!:):([a-z][A-Za-z]*)/g, (_, name: string) => {
    names.push(name);
    return "?";
  });
  const statement: Statement<Row> = {
    id: statements.length,
    text,
    names,
    positional,
    reads: /^\s*(SELECT|WITH)\b/.test(text),
  };
  statements.push(statement);
  return statement;
}
