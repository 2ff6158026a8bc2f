import { dirname } from "node:path";
import { backUpPostgres } from "../store/copy/back-up-postgres.js";
import type { CopyWatch } from "../store/copy/copy-rows.js";
import { type LedgerPlace, parsePlace, postgresPlace } from "../store/copy/ledger-place.js";
import { type MovedLedger, moveLedger } from "../store/copy/move-ledger.js";
import { sideAt } from "../store/copy/open-side.js";
import { restorePostgres } from "../store/copy/restore-postgres.js";
import { inspectPostgres } from "../store/postgres/inspect-postgres.js";
import { type BackedUp, backUp } from "../store/sqlite/back-up.js";
import { type Inspected, inspectSqlite } from "../store/sqlite/inspect.js";
import { type Restored, restore } from "../store/sqlite/restore.js";

/*
 * What is done to a ledger from outside of a daemon, whether one runs or not. For the commands of `nuncio db`, which load
 * this and not the daemon.
 */

export const backUpLedger = (place: LedgerPlace, to: string, force: boolean, watch: CopyWatch): Promise<BackedUp> =>
  place.type === "sqlite" ? backUp({ from: place.file, to, force }) : backUpPostgres({ from: place, to, force, watch });

/** `replaced` is the file, or the schema, in which the ledger is now that was there before. */
export const restoreLedger = (
  place: LedgerPlace,
  from: string,
  replace: boolean,
  watch: CopyWatch,
): Promise<Restored> => {
  const now = Date.now();
  if (place.type === "sqlite") return restore({ from, dataDir: dirname(place.file), replace, now });
  return restorePostgres({ from, to: place, replace, now, watch });
};

export const inspectLedger = (place: LedgerPlace): Promise<Inspected> =>
  place.type === "sqlite" ? inspectSqlite(place.file) : inspectPostgres(place);

export interface CopyLedger {
  /** A place, or the text that names one. */
  from: LedgerPlace | string;
  to: LedgerPlace | string;
  useMoved: boolean;
  watch: CopyWatch;
}

export async function copyLedger({ from, to, useMoved, watch }: CopyLedger): Promise<MovedLedger> {
  const source = sideAt(typeof from === "string" ? parsePlace(from, "--from") : from);
  const target = sideAt(typeof to === "string" ? parsePlace(to, "--to") : to);
  try {
    return await moveLedger({ from: source, to: target, useMoved, now: Date.now(), watch });
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

/** As it is shown: without user and password. */
export const placeText = (place: LedgerPlace): string => (place.type === "sqlite" ? place.file : postgresPlace(place));
