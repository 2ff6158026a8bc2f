import { createHash } from "node:crypto";
import { NuncioError } from "../../shared/errors.js";
import type { CopyWatch } from "./copy-rows.js";
import { pagesOf } from "./pages.js";
import type { LedgerSide } from "./side.js";
import type { Table } from "./table.js";

export interface VerifiedTable {
  table: string;
  rows: number;
  /** SHA-256 over the rows in the order of the primary key, hexadecimal: the same on either database. */
  sha256: string;
}

/** Reads both sides again, each for itself, and throws when they are not the same to the last character. */
export async function verify(
  from: LedgerSide,
  to: LedgerSide,
  tables: readonly Table[],
  watch: CopyWatch,
): Promise<VerifiedTable[]> {
  let total = 0;
  for (const table of tables) total += (await from.count(table)) + (await to.count(table));
  const verified: VerifiedTable[] = [];
  let done = 0;
  for (const table of tables) {
    const digest = (side: LedgerSide) =>
      digestOf(side, table, watch.signal, (rows) => {
        done += rows;
        watch.progress?.({ part: "verifying", table: table.name, done, total });
      });
    const [source, target] = await both(digest(from), digest(to));
    if (source.rows !== target.rows || source.sha256 !== target.sha256) {
      const counts = source.rows === target.rows ? "" : `: ${source.rows} rows became ${target.rows}`;
      throw new NuncioError("internal", `the copy of the table ${table.name} is not the same${counts}`, {
        reason: "COPY_DIFFERS",
        hint: "nothing is served from it; look whether something else writes to either ledger, and copy again",
      });
    }
    verified.push(source);
  }
  return verified;
}

/** Of two that go on side by side; when one fails it is told when the other one has ended, too. */
async function both<T>(first: Promise<T>, second: Promise<T>): Promise<[T, T]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}

/** Each row as the JSON of its values in the order of the columns' names, and a line break. */
async function digestOf(
  side: LedgerSide,
  table: Table,
  signal: AbortSignal | undefined,
  read: (rows: number) => void,
): Promise<VerifiedTable> {
  const hash = createHash("sha256");
  let rows = 0;
  for await (const page of pagesOf(side, table, signal)) {
    hash.update(page.map((row) => `${JSON.stringify(row)}\n`).join(""));
    rows += page.length;
    read(page.length);
  }
  return { table: table.name, rows, sha256: hash.digest("hex") };
}
