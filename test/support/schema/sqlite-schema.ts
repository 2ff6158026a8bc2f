import type { SqliteDriver } from "../../../src/store/sqlite/driver.js";

/** What a SQLite database says of itself: each table with its indexes, one column or constraint to a line. */
export function sqliteSchema(driver: SqliteDriver): string {
  const rows = driver
    .prepare(
      "SELECT type, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'" +
        " ORDER BY tbl_name, type = 'table' DESC, type, name",
    )
    .all([]);
  return rows.map((row) => `${statement(String(row.type), String(row.sql))};\n`).join("\n");
}

/** SQLite keeps statements as they were written: comments and spacing are no part of a schema. */
function statement(type: string, written: string): string {
  const text = written.replace(/--.*$/gm, "").replace(/\s+/g, " ").trim();
  const body = /^(CREATE TABLE \S+) \( ?(.*?) ?\)([^()]*)$/.exec(text);
  if (type !== "table" || body === null) return text;
  return `${body[1]} (\n${topLevelParts(body[2] as string).join(",\n")}\n)${body[3]}`;
}

/** Cut at the commas that stand in no parentheses. */
function topLevelParts(list: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= list.length; at++) {
    const char = list[at];
    if (char === "(") depth += 1;
    else if (char === ")") depth -= 1;
    else if (char === undefined || (char === "," && depth === 0)) {
      parts.push(`  ${list.slice(from, at).trim()}`);
      from = at + 1;
    }
  }
  return parts;
}
