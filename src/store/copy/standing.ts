import { NuncioError } from "../../shared/errors.js";
import type { Marks } from "./marks.js";
import type { LedgerSide } from "./side.js";

/** What is at a place already. */
export interface Standing {
  /** Schema version; 0 when there is no ledger. */
  version: number;
  marks: Marks;
  /** How many rows which table has; those without are left out. */
  rows: { table: string; rows: number }[];
}

export async function standingOf(side: LedgerSide): Promise<Standing> {
  const version = await side.version();
  if (version === 0) return { version, marks: {}, rows: [] };
  const rows: Standing["rows"] = [];
  for (const table of await side.tables()) {
    // What a daemon notes about a ledger in which there is nothing is not missed.
    const number = table.name === "meta" ? 0 : await side.count(table);
    if (number > 0) rows.push({ table: table.name, rows: number });
  }
  return { version, marks: await side.marks(), rows };
}

/** Only an empty ledger becomes another one, or what is left of a copy that was not finished. */
export function refuseFilled({ rows, marks }: Standing, place: string, hint: string): void {
  if (rows.length === 0 || marks.copying_from !== undefined) return;
  const what = rows.map(({ table, rows }) => `${rows} ${rows === 1 ? "row" : "rows"} in ${table}`).join(", ");
  throw new NuncioError("failed_precondition", `${place} has a ledger in it already: ${what}`, {
    reason: "LEDGER_NOT_EMPTY",
    hint,
  });
}

export const noLedgerAt = (place: string): NuncioError =>
  new NuncioError("not_found", `there is no ledger at ${place}`, {
    reason: "NO_LEDGER",
    hint: "name the data directory of a daemon, or the database and schema of its configuration",
  });
