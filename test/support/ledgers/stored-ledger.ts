import { readFileSync } from "node:fs";
import type { SqlRow } from "../../../src/store/sql/statement.js";
import type { SqliteDriver } from "../../../src/store/sqlite/driver.js";
import { openDriver } from "../../../src/store/sqlite/open-driver.js";

/** The ledger that the version of this schema wrote, with a task in every state. */
export function storedLedger(schema: number, file: string): void {
  withFile(file, (driver) => {
    driver.exec("PRAGMA journal_mode = WAL");
    driver.exec(readFileSync(new URL(`../../fixtures/ledgers/schema-${schema}.sql`, import.meta.url), "utf8"));
  });
}

export const rowsOf = (file: string, text: string): SqlRow[] =>
  withFile(file, (driver) =>
    driver
      .prepare(text)
      .all([])
      .map((row) => ({ ...row })),
  );

export function withFile<T>(file: string, use: (driver: SqliteDriver) => T): T {
  const driver = openDriver(file);
  try {
    return use(driver);
  } finally {
    driver.close();
  }
}
