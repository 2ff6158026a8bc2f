import { type BackedUp, writeBackUp } from "../sqlite/back-up.js";
import { type CopyWatch, copyRows } from "./copy-rows.js";
import { incomplete } from "./marks.js";
import { PostgresSide } from "./postgres-side.js";
import { SqliteSide } from "./sqlite-side.js";
import { noLedgerAt } from "./standing.js";
import { refuseDifferent } from "./table.js";
import { verify } from "./verify.js";

export interface BackUpPostgres {
  from: { url: string; schema: string };
  to: string;
  force: boolean;
  watch: CopyWatch;
}

/** Writes a ledger as it stands at one moment into a SQLite file, while nodes go on with it. */
export async function backUpPostgres({ from, to, force, watch }: BackUpPostgres): Promise<BackedUp> {
  const source = new PostgresSide(from);
  try {
    const version = await source.version();
    if (version === 0) throw noLedgerAt(source.place);
    const { copying_from: unfinished } = await source.marks();
    if (unfinished !== undefined) throw incomplete(unfinished);
    return await writeBackUp({
      to,
      force,
      source: source.place,
      async copy(file) {
        const target = new SqliteSide(file, { detached: true });
        try {
          await target.migrate(version);
          await source.beginReading();
          const tables = await source.tables();
          refuseDifferent(tables, await target.tables());
          await copyRows(source, target, tables, watch);
          await verify(source, target, tables, watch);
        } finally {
          await target.close();
        }
      },
    });
  } finally {
    await source.close();
  }
}
