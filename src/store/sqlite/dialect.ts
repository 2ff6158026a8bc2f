import { replaceNames, type Statement } from "../sql/statement.js";

export interface SqliteText {
  readonly text: string;
  /** Parameter names in order of appearance; a name that appears twice is bound twice. */
  readonly names: readonly string[];
}

/** A statement as SQLite takes it. */
export function forSqlite({ text }: Statement<object>): SqliteText {
  const names: string[] = [];
  const positional = replaceNames(text.replace(/\s+FOR UPDATE(?: SKIP LOCKED)?\b/g, ""), (name) => {
    names.push(name === "clock" ? "now" : name);
    return "?";
  });
  return { text: positional, names };
}
