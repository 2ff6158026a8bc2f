import { NuncioError } from "../../shared/errors.js";
import { newId } from "../../shared/ids.js";
import { MIGRATIONS } from "../schema/migrations.js";
import type { CopyWatch } from "./copy-rows.js";
import { complete, fill } from "./fill.js";
import { incomplete, type Mark, type Marks, type MetaChanges, refuseMarked, timeOf } from "./marks.js";
import type { LedgerSide } from "./side.js";
import { noLedgerAt, refuseFilled, type Standing, standingOf } from "./standing.js";
import type { VerifiedTable } from "./verify.js";

export interface MoveLedger {
  from: LedgerSide;
  to: LedgerSide;
  /** Move it although it was moved before. */
  useMoved: boolean;
  /** ms */
  now: number;
  watch: CopyWatch;
}

export interface MovedLedger {
  from: string;
  to: string;
  /** Empty when an earlier run had copied all of it, and only the source was still to be told. */
  tables: VerifiedTable[];
}

/**
 * Moves a ledger. At no moment can both be served, wherever we die:
 *
 * | after | the source | the target |
 * | --- | --- | --- |
 * | the source is told that it moves | refused | as it was |
 * | the target is told that it is incomplete | refused | refused |
 * | the target is told that it is complete | refused | served |
 * | the source is told that it has moved | refused | served |
 *
 * The next run with the same two begins again from the first two, and does the last step after the third. When
 * something goes wrong before the target was to be told that it is complete, the source is what it was.
 */
export async function moveLedger(move: MoveLedger): Promise<MovedLedger> {
  const { from, to, useMoved, now, watch } = move;
  if (from.place === to.place) throw sameLedger(from.place);
  if ((await from.version()) === 0) throw noLedgerAt(from.place);
  await from.takeAlone();
  const before = await from.marks();
  const begun = refuseSource(before, useMoved);
  const found = await standingOf(to);
  const moved = { from: from.place, to: to.place };
  if (begun !== undefined && found.marks.copied_from?.id === begun.id) {
    // It may be served by now: nothing of it is touched.
    await finish(from, begun);
    return { ...moved, tables: [] };
  }
  refuseOtherTarget(begun, found, to.place);
  refuseTarget(found, to.place);
  await to.takeAlone();
  // Somebody may have begun to use it just before.
  refuseTarget(await standingOf(to), to.place);

  const id = begun?.id ?? newId();
  const target: Mark = { id, place: to.place, at: now };
  const source: Mark = { id, place: from.place, at: now };
  await from.migrate(MIGRATIONS.length);
  await from.note({ moving_to: target, moved_to: null, used_after_move: null });
  let tables: VerifiedTable[];
  try {
    await to.migrate(MIGRATIONS.length);
    tables = await fill(from, to, source, watch);
  } catch (error) {
    await takeBack(from, before);
    throw error;
  }
  // From here on it may be complete even when we are told that something went wrong.
  await complete(to, source);
  await finish(from, target);
  return { ...moved, tables };
}

const finish = (from: LedgerSide, target: Mark): Promise<void> => from.note({ moving_to: null, moved_to: target });

/** It may be served again. When that cannot be noted it is not: the next run finds it as after a death. */
async function takeBack(from: LedgerSide, before: Marks): Promise<void> {
  const { moving_to = null, moved_to = null, used_after_move = null } = before;
  const changes: MetaChanges = { moving_to, moved_to, used_after_move };
  await from.note(changes).catch(() => {});
}

/** The move that was begun and is to be finished. */
function refuseSource(marks: Marks, useMoved: boolean): Mark | undefined {
  if (marks.copying_from !== undefined) throw incomplete(marks.copying_from);
  if (useMoved) return undefined;
  const { moving_to, moved_to, used_after_move } = marks;
  if (moved_to !== undefined) refuseMarked({ moved_to });
  if (moving_to !== undefined && used_after_move !== undefined) {
    throw new NuncioError(
      "failed_precondition",
      `this ledger was served again after a move to ${moving_to.place} was begun: what is there is no copy of it any more`,
      { reason: "LEDGER_MOVED", hint: "add --use-moved-ledger, to copy it anew into an empty ledger" },
    );
  }
  return moving_to;
}

function refuseOtherTarget(begun: Mark | undefined, { marks }: Standing, place: string): void {
  if (begun === undefined || begun.place === place || marks.copying_from?.id === begun.id) return;
  throw new NuncioError(
    "failed_precondition",
    `this ledger was about to be moved to ${begun.place} at ${timeOf(begun)}, where a copy may be complete`,
    {
      reason: "LEDGER_MOVED",
      hint: "name that target again, to finish the move; or, when it is not served and never will be, add --use-moved-ledger",
    },
  );
}

const refuseTarget = (found: Standing, place: string): void =>
  refuseFilled(
    found,
    place,
    "name an empty schema or another data directory; what is there is not touched. A ledger that is not wanted any more " +
      "is removed with DROP SCHEMA, or by deleting its file",
  );

const sameLedger = (place: string): NuncioError =>
  new NuncioError("invalid_argument", `both are the same ledger: ${place}`, { hint: "name another target" });
