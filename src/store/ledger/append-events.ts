import { EVENT_FORMAT, type TaskEvent, type TaskFact } from "../../tasks/task-event.js";
import { type Effects, run, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import type { MovedRow } from "./task-row.js";

const insertEvent = sql(`INSERT INTO events (tenant, task_id, seq, at, type, format, body)
  VALUES (:tenant, :taskId, :seq, :at, :type, ${EVENT_FORMAT}, :body)`);

/**
 * Writes the facts as the last events of a task and announces them. `row` is the task as it stands after the update
 * that went before, with `seq` already counting these facts: the number comes from the row, so that two writers can
 * never give the same one.
 */
export function* appendEvents(
  row: MovedRow,
  facts: readonly TaskFact[],
  at: number,
  effects: Effects,
): Steps<TaskEvent[]> {
  const events: TaskEvent[] = [];
  let seq = row.seq - facts.length;
  for (const fact of facts) {
    seq += 1;
    yield* run(insertEvent, {
      tenant: row.tenant,
      taskId: row.id,
      seq,
      at,
      type: fact.type,
      body: JSON.stringify(fact),
    });
    events.push({ ...fact, seq, at });
  }
  announce(row, effects, events);
  return events;
}

/** Announces that a task has been purged: whoever follows it finds that it is not there any more. */
export function announceGone(row: MovedRow, effects: Effects): void {
  effects.changed({
    tenant: row.tenant,
    taskId: row.id,
    rootId: row.root_id,
    persona: row.persona,
    state: row.state,
    seq: row.seq,
    runnable: false,
    runAt: row.run_at,
    wakeAt: null,
  });
}

/** Announces where a task stands after this commit. */
export function announce(row: MovedRow, effects: Effects, events: readonly TaskEvent[] = []): void {
  effects.changed({
    tenant: row.tenant,
    taskId: row.id,
    rootId: row.root_id,
    persona: row.persona,
    state: row.state,
    seq: row.seq,
    runnable: row.state === "pending" && row.blocked === 0,
    runAt: row.run_at,
    wakeAt: row.wake_at,
    events,
  });
}
