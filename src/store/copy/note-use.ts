import { all, type Command, run } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { type Mark, metaValue, READ_MARKS, toMarks } from "./marks.js";

const readMarks = sql<{ key: string; value: string }>(READ_MARKS);
const note = sql(`INSERT INTO meta (key, value) VALUES ('used_after_move', :value)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`);

/**
 * Notes in a moved ledger that it is served nevertheless: a move that was begun can no longer be finished as if nothing had
 * been written since. Resolves with where it was moved to; null when it was not.
 */
export const noteUse = (now: number): Command<Mark | null> =>
  function* () {
    const marks = toMarks(yield* all(readMarks, {}));
    const moved = marks.moved_to ?? marks.moving_to;
    if (moved === undefined) return null;
    yield* run(note, { value: metaValue({ ...moved, at: now }) });
    return moved;
  };
