import type { SqliteDriver } from "../../../src/store/sqlite/driver.js";

/** A SQLite ledger as SQL text: executed on an empty file it gives the same ledger again, its schema version included. */
export function dumpSqlite(driver: SqliteDriver): string {
  const rows = (text: string) => driver.prepare(text).all([]);
  const objects = rows("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name");
  const lines: string[] = [];
  for (const { type, name, sql } of objects) {
    lines.push(`${sql};`);
    if (type !== "table") continue;
    for (const row of rows(`SELECT * FROM ${name}`)) {
      lines.push(
        `INSERT INTO ${name} (${Object.keys(row).join(", ")}) VALUES (${Object.values(row).map(literal).join(", ")});`,
      );
    }
  }
  lines.push(`PRAGMA user_version = ${rows("PRAGMA user_version")[0]?.user_version};`);
  return `${lines.join("\n")}\n`;
}

const literal = (value: string | number | null): string =>
  typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
