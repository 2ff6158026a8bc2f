import { NuncioError } from "../../shared/errors.js";
import { NO_MARKS } from "./marks.js";

export type ColumnType = "text" | "integer" | "bigint";

export interface Table {
  name: string;
  /** In the order of their names, which is the same on both databases. */
  columns: { name: string; type: ColumnType }[];
  /** The primary key. */
  key: string[];
}

interface ColumnFact {
  table: string;
  column: string;
  type: string;
  /** Place in the primary key; null outside of it. */
  key: number | null;
}

/** What a database says about its columns, as tables in the order of their names. Refuses what could not be copied. */
export function toTables(facts: readonly ColumnFact[]): Table[] {
  const names = [...new Set(facts.map(({ table }) => table))].sort();
  return names.map((name) => {
    const own = facts.filter(({ table }) => table === name).sort((a, b) => (a.column < b.column ? -1 : 1));
    const columns = own.map(({ column, type }) => ({ name: column, type: columnType(name, column, type) }));
    const inKey = own.filter((fact): fact is ColumnFact & { key: number } => fact.key !== null);
    const key = inKey.sort((a, b) => a.key - b.key).map(({ column }) => column);
    if (key.length === 0) throw cannot(`the table ${name} has no primary key`);
    return { name, columns, key };
  });
}

function columnType(table: string, column: string, type: string): ColumnType {
  const known = type.toLowerCase();
  if (known === "text" || known === "integer" || known === "bigint") return known;
  throw cannot(`the column ${table}.${column} has the type ${type}`);
}

const cannot = (what: string): NuncioError =>
  new NuncioError("unsupported", `${what}, which cannot be copied`, {
    reason: "TABLES_DIFFER",
    hint: "copy what is not of nuncio with the tools of the database, in a schema or file of its own",
  });

/** Both sides must have the same tables with the same columns: what one does not know would be lost. */
export function refuseDifferent(from: readonly Table[], to: readonly Table[]): void {
  for (const [ours, theirs, where] of [
    [from, to, "target"],
    [to, from, "source"],
  ] as const) {
    for (const { name, columns, key } of ours) {
      const other = theirs.find((table) => table.name === name);
      if (other === undefined) throw differ(`the ${where} has no table ${name}`);
      if (JSON.stringify([columns, key]) !== JSON.stringify([other.columns, other.key])) {
        throw differ(`the table ${name} of the ${where} has other columns`);
      }
    }
  }
}

const differ = (what: string): NuncioError =>
  new NuncioError("failed_precondition", `the two ledgers differ: ${what}`, {
    reason: "TABLES_DIFFER",
    hint: "name an empty target; it is made as this version needs it",
  });

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");

export const columnsText = ({ columns }: Table): string => quoted(columns.map(({ name }) => name));

/** Where the columns of the key stand in a row. */
export const keyPlaces = ({ columns, key }: Table): number[] =>
  key.map((name) => columns.findIndex((column) => column.name === name));

/** Marks are no rows of the ledger. */
const onlyRows = ({ name }: Table): string => (name === "meta" ? NO_MARKS : "1 = 1");

export const countText = (table: Table): string =>
  `SELECT count(*) AS number FROM "${table.name}" WHERE ${onlyRows(table)}`;

/** A page in the order of the key; with `after`, behind the row that has this key. */
export function pageText(table: Table, after: boolean, place: (at: number) => string): string {
  const { name, key } = table;
  const behind = after ? ` AND (${quoted(key)}) > (${key.map((_, at) => place(at)).join(", ")})` : "";
  return `SELECT ${columnsText(table)} FROM "${name}" WHERE ${onlyRows(table)}${behind}
    ORDER BY ${quoted(key)} LIMIT ${place(after ? key.length : 0)}`;
}

export const clearText = (table: Table): string => `DELETE FROM "${table.name}" WHERE ${onlyRows(table)}`;
