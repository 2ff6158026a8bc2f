import { constants, copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "../../shared/ids.js";
import { inspectPostgres } from "../postgres/inspect-postgres.js";
import { MIGRATIONS } from "../schema/migrations.js";
import { damagedBackup, refuseBackupFile } from "../sqlite/backup-file.js";
import { fileRefusal } from "../sqlite/file-refusal.js";
import { type Inspected, inspectSqlite } from "../sqlite/inspect.js";
import { afterRestore } from "./after-restore.js";
import type { CopyWatch } from "./copy-rows.js";
import { complete, fill } from "./fill.js";
import type { Mark } from "./marks.js";
import { PostgresSide } from "./postgres-side.js";
import { SqliteSide } from "./sqlite-side.js";
import { refuseFilled, standingOf } from "./standing.js";

export interface RestorePostgres {
  /** What `nuncio db backup` has written, on either database. */
  from: string;
  to: { url: string; schema: string };
  /** Give a ledger that is there another name. */
  replace: boolean;
  /** ms */
  now: number;
  watch: CopyWatch;
}

export interface RestoredPostgres extends Omit<Inspected, "damage"> {
  /** The schema in which the ledger is now that was there before. */
  replaced: string | null;
}

/**
 * Puts a backup in place as the ledger of a schema on which no node works. A ledger that is there stays in its place until
 * the new one is complete beside it; then they change names in one transaction.
 */
export async function restorePostgres({ from, to, replace, now, watch }: RestorePostgres): Promise<RestoredPostgres> {
  refuseBackupFile(from);
  const [damage] = (await inspectSqlite(from)).damage;
  if (damage !== undefined) throw damagedBackup(from, damage);
  const place = new PostgresSide(to);
  try {
    await place.takeAlone();
    const standing = await standingOf(place);
    const replacing = replace && standing.rows.length > 0;
    if (!replace) refuseFilled(standing, place.place, "add --replace: it is kept, in a schema with another name");
    // What an earlier try has left there is marked as incomplete, and cleared.
    const beside = nameBeside(to.schema, "_restoring");
    const target = replacing ? new PostgresSide({ ...to, schema: beside }) : place;
    try {
      if (replacing) await target.takeAlone();
      await target.migrate();
      const source: Mark = { id: newId(), place: `sqlite:${from}`, at: now };
      await withUpToDate(from, (file) => fill(file, target, source, watch));
      // Still marked as incomplete: nobody serves it without this.
      await target.change(afterRestore(now));
      await complete(target, source, { restored_at: String(now) });
    } finally {
      if (replacing) await target.close();
    }
    const replaced = replacing ? nameBeside(to.schema, `_${dateWord(now)}`) : null;
    if (replaced !== null) await place.exchange(beside, replaced);
    const { damage: _, ...found } = await inspectPostgres(to);
    return { ...found, replaced };
  } finally {
    await place.close();
  }
}

/** A backup of an earlier version is brought up to date in a copy: it is left as it is. */
async function withUpToDate<T>(file: string, use: (side: SqliteSide) => Promise<T>): Promise<T> {
  const backup = new SqliteSide(file, { readOnly: true });
  try {
    if ((await backup.version()) === MIGRATIONS.length) return await use(backup);
  } finally {
    await backup.close();
  }
  const directory = mkdtempSync(join(tmpdir(), "nuncio-restore-"));
  const copy = new SqliteSide(join(directory, "copy.db"), { detached: true });
  try {
    copyFileSync(file, join(directory, "copy.db"), constants.COPYFILE_FICLONE);
    await copy.migrate(MIGRATIONS.length);
    return await use(copy);
  } catch (error) {
    throw fileRefusal(error, file);
  } finally {
    await copy.close();
    rmSync(directory, { recursive: true });
  }
}

const LONGEST_NAME = 63;

const nameBeside = (schema: string, ending: string): string => schema.slice(0, LONGEST_NAME - ending.length) + ending;

/** `replaced_20260131t120000`, in what a name may be made of. */
const dateWord = (now: number): string =>
  `replaced_${new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, "").toLowerCase()}`;
