import type { SqlRow, SqlValue } from "../sql/statement.js";
import type { DriverOptions, SqliteDriver } from "./driver.js";

/** What we use of `node:sqlite`, which the oldest supported Node does not have, and so neither have its types. */
export interface NodeSqlite {
  DatabaseSync: new (file: string, options: { readOnly: boolean }) => NodeDatabase;
}

interface NodeDatabase {
  prepare(text: string): {
    all(...values: SqlValue[]): SqlRow[];
    run(...values: SqlValue[]): { changes: number | bigint };
  };
  exec(text: string): void;
  /** Since Node 22.16. */
  readonly isTransaction?: boolean;
  close(): void;
}

/** The module, where this Node has it: 22.13 and later, without a flag. */
export function nodeSqlite(): NodeSqlite | undefined {
  loaded ??= { module: withoutExperimentalWarning(load) };
  return loaded.module;
}

let loaded: { module: NodeSqlite | undefined } | undefined;

const load = (): NodeSqlite | undefined =>
  (process as { getBuiltinModule?(id: string): unknown }).getBuiltinModule?.("node:sqlite") as NodeSqlite | undefined;

/**
 * Node 22 warns on standard error that its SQLite is experimental: nothing that an operator could act on. Node says so
 * while the module is loaded, which is over when `load` returns; every other warning goes its way.
 */
function withoutExperimentalWarning<T>(load: () => T): T {
  const emitWarning = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (rest[0] === "ExperimentalWarning" && /^SQLite\b/.test(String(warning))) return;
    (emitWarning as (...args: unknown[]) => void)(warning, ...rest);
  }) as typeof process.emitWarning;
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

export function openNodeSqlite(
  { DatabaseSync }: NodeSqlite,
  file: string,
  { readOnly = false }: DriverOptions,
): SqliteDriver {
  const database = named(() => new DatabaseSync(file, { readOnly }));
  return {
    prepare(text) {
      const statement = named(() => database.prepare(text));
      return {
        all: (values) => named(() => statement.all(...values)),
        run: (values) => named(() => Number(statement.run(...values).changes)),
      };
    },
    exec: (text) => named(() => database.exec(text)),
    get inTransaction() {
      return database.isTransaction ?? !canBegin(database);
    },
    close: () => database.close(),
  };
}

/** Only asked after something has gone wrong: a transaction cannot begin inside of another. */
function canBegin(database: NodeDatabase): boolean {
  try {
    database.exec("BEGIN");
  } catch {
    return false;
  }
  database.exec("ROLLBACK");
  return true;
}

/** Gives an error of SQLite the name that stands for its number. */
function named<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    const { errcode } = error as { errcode?: unknown };
    if (typeof errcode === "number") Object.assign(error as Error, { code: nameOf(errcode) });
    throw error;
  }
}

/** The low byte is the primary code (https://sqlite.org/rescode.html); what stands above it is kept as a number. */
function nameOf(code: number): string {
  const primary = PRIMARY[code & 0xff] ?? "ERROR";
  return code > 0xff ? `SQLITE_${primary}_${code}` : `SQLITE_${primary}`;
}

const PRIMARY: Record<number, string> = {
  1: "ERROR",
  2: "INTERNAL",
  3: "PERM",
  4: "ABORT",
  5: "BUSY",
  6: "LOCKED",
  7: "NOMEM",
  8: "READONLY",
  9: "INTERRUPT",
  10: "IOERR",
  11: "CORRUPT",
  12: "NOTFOUND",
  13: "FULL",
  14: "CANTOPEN",
  15: "PROTOCOL",
  16: "EMPTY",
  17: "SCHEMA",
  18: "TOOBIG",
  19: "CONSTRAINT",
  20: "MISMATCH",
  21: "MISUSE",
  22: "NOLFS",
  23: "AUTH",
  24: "FORMAT",
  25: "RANGE",
  26: "NOTADB",
};
