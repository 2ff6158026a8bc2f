import { applyEvent, emptyFold, snapshotOf } from "../../tasks/fold.js";
import type { Artifact } from "../../tasks/message.js";
import type { TaskSnapshot } from "../../tasks/task.js";
import { EVENT_FORMAT, type TaskEvent, type TaskFact } from "../../tasks/task-event.js";
import { isTerminal } from "../../tasks/task-state.js";
import { all, one, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { requireKnownFormat } from "./format.js";
import { type TaskRow, toTask } from "./task-row.js";

interface EventRow {
  task_id: string;
  seq: number;
  at: number;
  format: number;
  body: string;
}

const eventsBetween = sql<EventRow>(`SELECT task_id, seq, at, format, body FROM events
  WHERE tenant = :tenant AND task_id = :taskId AND seq > :after AND seq <= :upTo ORDER BY seq LIMIT :limit`);

/** Chunks are left out: the artifacts of an ended task stand materialized in its row. */
const wordsOf = sql<EventRow>(`SELECT task_id, seq, at, format, body FROM events
  WHERE tenant = :tenant AND task_id = :taskId AND type <> 'artifact' ORDER BY seq`);

/** The last of them, from the end. */
const lastWordsOf = sql<EventRow>(`SELECT task_id, seq, at, format, body FROM events
  WHERE tenant = :tenant AND task_id = :taskId AND type <> 'artifact' ORDER BY seq DESC LIMIT :limit`);

const storedArtifacts = sql<{ artifacts: string | null }>(
  `SELECT artifacts FROM tasks WHERE tenant = :tenant AND id = :taskId`,
);

const compactedOf = sql<{ compacted: number }>(`SELECT compacted FROM tasks WHERE tenant = :tenant AND id = :taskId`);

/** No task has so many events, and no column a number above it: a caller may name any. */
const EVERYTHING = 2_000_000_000;

export function* loadEvents(
  tenant: string,
  taskId: string,
  range: { after: number; upTo?: number; limit?: number },
): Steps<TaskEvent[]> {
  const { limit = EVERYTHING } = range;
  const after = Math.min(range.after, EVERYTHING);
  const upTo = Math.min(range.upTo ?? EVERYTHING, EVERYTHING);
  return (yield* all(eventsBetween, { tenant, taskId, after, upTo, limit })).map(toEvent);
}

/** The task as it stands now. */
export function* loadSnapshot(row: TaskRow): Steps<TaskSnapshot> {
  if (!isTerminal(row.state)) return yield* loadSnapshotAt(row, row.seq);
  const folded = emptyFold();
  for (const event of (yield* all(wordsOf, { tenant: row.tenant, taskId: row.id })).map(toEvent)) {
    folded.seq = event.seq - 1;
    applyEvent(folded, event);
  }
  const stored = yield* artifactsOf(row);
  folded.artifacts = JSON.parse(stored) as Artifact[];
  return snapshotOf(toTask(row), { ...folded, seq: row.seq, state: row.state, updatedAt: row.updated_at });
}

/** The artifacts of a task that has ended, as JSON text. */
export function* artifactsOf({ tenant, id }: TaskRow): Steps<string> {
  return (yield* one(storedArtifacts, { tenant, taskId: id }))?.artifacts ?? "[]";
}

/** The last events that are no artifacts, in order, each with the length of its JSON text. */
export function* lastWords({ tenant, id }: TaskRow, limit: number): Steps<{ event: TaskEvent; length: number }[]> {
  const rows = yield* all(lastWordsOf, { tenant, taskId: id, limit });
  return rows.reverse().map((row) => ({ event: toEvent(row), length: row.body.length }));
}

/** The task as it stood at event `seq`; as it stands now when that has been compacted. */
export function* loadSnapshotAt(row: TaskRow, seq: number): Steps<TaskSnapshot> {
  const { tenant, id: taskId } = row;
  if (isTerminal(row.state) && (yield* one(compactedOf, { tenant, taskId }))?.compacted === 1) {
    return yield* loadSnapshot(row);
  }
  const folded = emptyFold();
  for (const event of yield* loadEvents(row.tenant, row.id, { after: 0, upTo: seq })) applyEvent(folded, event);
  // Being claimed is no event, since nobody outside is told; the row knows it.
  if (folded.seq === row.seq)
    return snapshotOf(toTask(row), { ...folded, state: row.state, updatedAt: row.updated_at });
  return snapshotOf(toTask(row), folded);
}

function toEvent(row: EventRow): TaskEvent {
  requireKnownFormat(row.format, EVENT_FORMAT, row.task_id, `event ${row.seq}`);
  return { ...(JSON.parse(row.body) as TaskFact), seq: row.seq, at: row.at };
}
