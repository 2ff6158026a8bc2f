import pg from "pg";
import { openFile } from "./open-file.js";

/** Reads a ledger with plain SQL, past all code of the product. */
export interface LedgerReader {
  rows<Row extends object>(sql: string): Promise<Row[]>;
  close(): Promise<void>;
}

/** @param file of a daemon that has stopped */
export function readSqlite(file: string): LedgerReader {
  const database = openFile(file);
  return {
    rows: async (sql) => database.prepare(sql).all() as never[],
    close: async () => {
      database.close();
    },
  };
}

export async function readPostgres(url: string): Promise<LedgerReader> {
  const client = new pg.Client({
    connectionString: url,
    options: "-c search_path=nuncio",
    types: {
      // Counts and times are BIGINT, and far below what a number holds.
      getTypeParser: (oid: number, format?: "text" | "binary") =>
        oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as "text"),
    } as pg.CustomTypesConfig,
  });
  await client.connect();
  return {
    rows: async (sql) => (await client.query(sql)).rows,
    close: () => client.end(),
  };
}
