import { replaceNames, type Statement } from "../sql/statement.js";

/** Whose time `:clock` is. Tests that bring their own clock let each command say what time it is. */
export type LedgerClock = "database" | "caller";

const CLOCK: Record<LedgerClock, string> = {
  database: "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)",
  caller: "CAST(:now AS BIGINT)",
};

/** The time of the database, ms. */
export const DATABASE_TIME = CLOCK.database;

export interface PostgresText {
  /** Name under which each connection keeps the prepared statement. */
  readonly name: string;
  readonly text: string;
  /** Parameter names: the first is `$1`. */
  readonly names: readonly string[];
}

/** A statement as PostgreSQL takes it: a name that appears twice is one parameter. */
export function forPostgres(statement: Statement<object>, clock: LedgerClock): PostgresText {
  const names: string[] = [];
  const text = replaceNames(statement.text.replaceAll(":clock", CLOCK[clock]), (name) => {
    const known = names.indexOf(name);
    if (known >= 0) return `$${known + 1}`;
    return `$${names.push(name)}`;
  });
  return { name: `nuncio_${statement.id}`, text, names };
}

/**
 * A migration as PostgreSQL takes it. Text is ordered by its bytes, as in SQLite: ids and cursors are compared, and must
 * mean the same on both, whatever language the database was made for.
 */
export const migrationForPostgres = (text: string): string =>
  text.replace(/\)\s*WITHOUT ROWID\b/g, ")").replace(/\bTEXT\b/g, 'TEXT COLLATE "C"');
