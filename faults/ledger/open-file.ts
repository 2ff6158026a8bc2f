import { createRequire } from "node:module";

/** What the SQLite of Node and better-sqlite3 have in common. */
export interface SqliteFile {
  prepare(sql: string): { all(): unknown[] };
  exec(sql: string): void;
  close(): void;
}

/** Opens a ledger past all code of the product, with the driver that a daemon has on this Node. */
export function openFile(file: string): SqliteFile {
  const { getBuiltinModule } = process as { getBuiltinModule?(id: string): unknown };
  const builtIn = getBuiltinModule?.("node:sqlite") as { DatabaseSync: new (file: string) => SqliteFile } | undefined;
  const Database = builtIn?.DatabaseSync ?? createRequire(import.meta.url)("better-sqlite3");
  return new Database(file);
}
