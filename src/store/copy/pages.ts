import { setImmediate as turn } from "node:timers/promises";
import type { LedgerSide, Row } from "./side.js";
import { keyPlaces, type Table } from "./table.js";

/** Rows may be large, and nobody knows before: this many of the largest have to fit into memory. */
const MOST_ROWS = 256;
const PAGE_LENGTH = 2 * 1024 * 1024;

/** All rows of a table in the order of its key, some at a time. */
export async function* pagesOf(side: LedgerSide, table: Table, signal?: AbortSignal): AsyncGenerator<Row[]> {
  const places = keyPlaces(table);
  let after: Row | null = null;
  let limit = MOST_ROWS;
  for (;;) {
    // SQLite answers without a pause: signals of the system are to be noticed all the same.
    await turn();
    signal?.throwIfAborted();
    const rows: Row[] = await side.page(table, after, limit);
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    const last = rows.at(-1) as Row;
    after = places.map((place) => last[place] ?? null);
    limit = limitFor(rows);
  }
}

/** As many rows next time as come to the length of a page when they are as long as these. */
function limitFor(rows: readonly Row[]): number {
  let length = 1;
  for (const row of rows) for (const value of row) length += typeof value === "string" ? value.length : 8;
  return Math.max(1, Math.min(MOST_ROWS, Math.floor((rows.length * PAGE_LENGTH) / length)));
}
