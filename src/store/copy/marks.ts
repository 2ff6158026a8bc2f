import { NuncioError } from "../../shared/errors.js";

/**
 * Notes in `meta` about where a ledger has gone or come from. They are about this place and not about what is in it, so
 * that no copy has them.
 *
 * - `moving_to`: a copy was begun that is to take this ledger's place. From before the copy is complete until `moved_to`
 *   stands instead, so that there is no moment in which both could be served.
 * - `moved_to`: the copy took over.
 * - `used_after_move`: this ledger was served nevertheless, by the operator's word. The copy is no copy of it any more.
 * - `copying_from`: not all of it is here yet.
 * - `copied_from`: all of it is.
 */
export const MARKS = ["moving_to", "moved_to", "used_after_move", "copying_from", "copied_from"] as const;
type MarkName = (typeof MARKS)[number];

export interface Mark {
  /** Of the move: the same on both sides. */
  id: string;
  /** The other side, without user and password. */
  place: string;
  /** ms */
  at: number;
}

export type Marks = Partial<Record<MarkName, Mark>>;
/** Null takes a mark away. Other keys of `meta` may be set in the same transaction. */
export type MetaChanges = Record<string, Mark | string | null>;

const NAMES = MARKS.map((name) => `'${name}'`).join(", ");
export const NO_MARKS = `key NOT IN (${NAMES})`;
export const READ_MARKS = `SELECT key, value FROM meta WHERE key IN (${NAMES})`;

export function toMarks(rows: readonly { key?: unknown; value?: unknown }[]): Marks {
  return Object.fromEntries(rows.map(({ key, value }) => [key, JSON.parse(String(value))])) as Marks;
}

export const metaValue = (value: Mark | string): string => (typeof value === "string" ? value : JSON.stringify(value));

/** Keeps a daemon from serving half a ledger, or one whose copy is served elsewhere. */
export function refuseMarked(marks: Marks, useMoved = false): void {
  const { copying_from: unfinished, moving_to: moving, moved_to: moved } = marks;
  if (unfinished !== undefined) throw incomplete(unfinished);
  if (useMoved) return;
  if (moved !== undefined) {
    throw new NuncioError("failed_precondition", `this ledger was moved to ${moved.place} at ${timeOf(moved)}`, {
      reason: "LEDGER_MOVED",
      hint:
        `start with a configuration whose storage is ${moved.place}. If that one is not served and never will be, ` +
        "`nuncio up --use-moved-ledger` serves this one",
    });
  }
  if (moving !== undefined) {
    throw new NuncioError(
      "failed_precondition",
      `this ledger was about to be moved to ${moving.place} at ${timeOf(moving)}, and nothing says that it was finished`,
      {
        reason: "LEDGER_MOVED",
        hint:
          "run the same `nuncio db copy` again, which finishes the move or begins it anew. If it is not to be moved, make " +
          "sure that the other one is not served; then `nuncio up --use-moved-ledger` serves this one",
      },
    );
  }
}

export const incomplete = ({ place }: Mark): NuncioError =>
  new NuncioError("failed_precondition", `this ledger is an incomplete copy of ${place}`, {
    reason: "LEDGER_INCOMPLETE",
    hint: "run the same `nuncio db copy` (or `db restore`) again: it clears what is here and copies all of it",
  });

export const timeOf = ({ at }: Mark): string => new Date(at).toISOString();
