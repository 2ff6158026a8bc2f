import { type CopyWatch, copyRows } from "./copy-rows.js";
import { MARKS, type Mark, type MetaChanges } from "./marks.js";
import type { LedgerSide } from "./side.js";
import { refuseDifferent } from "./table.js";
import { type VerifiedTable, verify } from "./verify.js";

/**
 * Makes an empty ledger, or an incomplete copy, the copy of another one, up to the word that it is complete. From before the
 * first row until that word it is marked as incomplete, so that no daemon serves it and the next copy clears it, wherever
 * we die.
 *
 * @param source what the mark says of where it comes from
 */
export async function fill(from: LedgerSide, to: LedgerSide, source: Mark, watch: CopyWatch): Promise<VerifiedTable[]> {
  await to.note({ copying_from: source });
  await from.beginReading();
  try {
    const tables = await from.tables();
    refuseDifferent(tables, await to.tables());
    await to.clear(tables);
    await copyRows(from, to, tables, watch);
    await to.settle();
    return await verify(from, to, tables, watch);
  } finally {
    await from.endReading();
  }
}

/** The one write by which a filled ledger may be served. */
export async function complete(to: LedgerSide, source: Mark, more: MetaChanges = {}): Promise<void> {
  const none = Object.fromEntries(MARKS.map((name) => [name, null]));
  await to.note({ ...none, copied_from: source, ...more });
}
