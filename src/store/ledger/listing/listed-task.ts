import { applyEvent, emptyFold, snapshotOf } from "../../../tasks/fold.js";
import type { ListedQuery } from "../../../tasks/ledger.js";
import type { Artifact } from "../../../tasks/message.js";
import type { TaskSnapshot } from "../../../tasks/task.js";
import { isTerminal } from "../../../tasks/task-state.js";
import type { Steps } from "../../sql/command.js";
import { artifactsOf, lastWords, loadEvents } from "../load-snapshot.js";
import { type TaskRow, toTask } from "../task-row.js";

/** So many events of a task, but for artifacts, are looked through for its history at most. */
const MOST_EVENTS = 400;

/**
 * A task as a list shows it, and how large it is: its status, the end of its history, and its artifacts where they are
 * asked for. The row says what it was found and sorted by.
 */
export function* loadListed(
  row: TaskRow,
  { historyLength, artifacts }: Pick<ListedQuery, "historyLength" | "artifacts">,
): Steps<{ task: TaskSnapshot; characters: number }> {
  const folded = emptyFold();
  let characters = 0;
  if (artifacts && !isTerminal(row.state)) {
    for (const event of yield* loadEvents(row.tenant, row.id, { after: 0, upTo: row.seq })) applyEvent(folded, event);
    characters = JSON.stringify([folded.history, folded.artifacts]).length;
  } else {
    // Two messages can stand in an event and the one before: as many as are asked for are found among twice as many.
    const words = yield* lastWords(row, Math.min(MOST_EVENTS, 4 * historyLength + 8));
    for (const { event, length } of words) {
      folded.seq = event.seq - 1;
      applyEvent(folded, event);
      characters += length;
    }
    const stored = artifacts ? yield* artifactsOf(row) : "[]";
    characters += stored.length;
    folded.artifacts = JSON.parse(stored) as Artifact[];
  }
  folded.history = historyLength === 0 ? [] : folded.history.slice(-historyLength);
  folded.statusAt = row.status_at;
  folded.started = row.started === 1;
  folded.waitingFor = row.waiting_for;
  folded.askingChildId = row.asking_child_id;
  return {
    task: snapshotOf(toTask(row), { ...folded, seq: row.seq, state: row.state, updatedAt: row.updated_at }),
    characters,
  };
}
