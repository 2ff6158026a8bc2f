import { EVENT_FORMAT, type TaskEvent, type TaskFact } from "../../tasks/task-event.js";
import { type Effects, run, type Steps } from "../sql/command.js";
import { type SqlParams, type Statement, sql } from "../sql/statement.js";
import { enlist, showsTask } from "./listing/enlist.js";
import type { MovedRow } from "./task-row.js";

/** Rows of one statement: four written together took 18 µs, one by one 27, and on PostgreSQL each is a way there and back. */
const AT_ONCE = 4;

const insertEvents = Array.from({ length: AT_ONCE }, (_, more) =>
  sql(`INSERT INTO events (tenant, task_id, seq, at, type, format, body)
  VALUES ${Array.from({ length: more + 1 }, (_, n) => `(:tenant, :taskId, :seq${n}, :at, :type${n}, ${EVENT_FORMAT}, :body${n})`).join(", ")}`),
);

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
  const { tenant, id: taskId } = row;
  const events: TaskEvent[] = [];
  let seq = row.seq - facts.length;
  for (let first = 0; first < facts.length; first += AT_ONCE) {
    const count = Math.min(AT_ONCE, facts.length - first);
    const params: SqlParams = { tenant, taskId, at };
    for (let n = 0; n < count; n++) {
      const fact = facts[first + n] as TaskFact;
      seq += 1;
      params[SEQ[n] as string] = seq;
      params[TYPE[n] as string] = fact.type;
      params[BODY[n] as string] = JSON.stringify(fact);
      events.push({ ...fact, seq, at });
    }
    yield* run(insertEvents[count - 1] as Statement, params);
  }
  if (row.unlisted === 1 && facts.some(showsTask)) yield* enlist(tenant, taskId, at);
  announce(row, effects, events);
  return events;
}

const numbered = (name: string) => Array.from({ length: AT_ONCE }, (_, n) => `${name}${n}`);
const SEQ = numbered("seq");
const TYPE = numbered("type");
const BODY = numbered("body");

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
