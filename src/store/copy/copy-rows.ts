import { pagesOf } from "./pages.js";
import type { LedgerSide } from "./side.js";
import type { Table } from "./table.js";

/** Neither a transaction per page, nor one of which the database has to remember everything. */
const PAGES_PER_COMMIT = 64;

export interface CopyWatch {
  /** Asked between two pages. */
  signal?: AbortSignal;
  /** Called now and then: how many rows of all have been gone through in this part of the work. */
  progress?(at: { part: "copying" | "verifying"; table: string; done: number; total: number }): void;
}

/** All rows of all tables, some at a time. The target is not complete before this resolves, and must be marked so. */
export async function copyRows(from: LedgerSide, to: LedgerSide, tables: readonly Table[], watch: CopyWatch) {
  let total = 0;
  for (const table of tables) total += await from.count(table);
  let done = 0;
  for (const table of tables) {
    let pages = 0;
    await to.begin();
    for await (const rows of pagesOf(from, table, watch.signal)) {
      await to.insert(table, rows);
      done += rows.length;
      watch.progress?.({ part: "copying", table: table.name, done, total });
      if (++pages % PAGES_PER_COMMIT === 0) {
        await to.commit();
        await to.begin();
      }
    }
    await to.commit();
  }
}
