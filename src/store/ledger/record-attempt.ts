import { leaseLost } from "../../shared/errors.js";
import { JOURNAL_FORMAT } from "../../tasks/journal.js";
import type { Append, AttemptRecord } from "../../tasks/ledger.js";
import type { TaskFact } from "../../tasks/task-event.js";
import { type Command, one, run, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { appendEvents } from "./append-events.js";
import { MOVED_COLUMNS, type MovedRow } from "./task-row.js";

const advance = sql<MovedRow>(`UPDATE tasks SET
    state = 'processing', seq = seq + :facts, updated_at = :now,
    input_tokens = input_tokens + :inputTokens, output_tokens = output_tokens + :outputTokens
  WHERE tenant = :tenant AND id = :id AND state = :expected AND lease_owner = :owner AND fence = :fence
  RETURNING ${MOVED_COLUMNS}`);

const insertStep = sql(`INSERT INTO journal (tenant, task_id, step, turn, kind, key, at, format, data)
  VALUES (:tenant, :taskId, :step, :turn, :kind, :key, :at, ${JOURNAL_FORMAT}, :data)`);

const STARTED: TaskFact = { type: "status", state: "processing" };

/** The facts of a record, with the one that says that the attempt runs when this is its first. */
export const factsOf = (record: AttemptRecord): readonly TaskFact[] =>
  record.start ? [STARTED, ...record.facts] : record.facts;

/** The state that the row must still have for this record to be taken. */
export const expectedState = (record: AttemptRecord) => (record.start ? "claimed" : "processing");

export const append: (record: Append) => Command<{ seq: number }> = (record) =>
  function* (effects) {
    const facts = factsOf(record);
    const { lease } = record;
    const row = yield* one(advance, {
      tenant: lease.tenant,
      id: lease.taskId,
      owner: lease.owner,
      fence: lease.fence,
      expected: expectedState(record),
      facts: facts.length,
      now: record.now,
      inputTokens: record.inputTokens,
      outputTokens: record.outputTokens,
    });
    if (row === undefined) throw leaseLost(lease.taskId);
    yield* writeSteps(record);
    yield* appendEvents(row, facts, record.now, effects);
    return { seq: row.seq };
  };

export function* writeSteps(record: AttemptRecord): Steps<void> {
  for (const step of record.steps) {
    yield* run(insertStep, {
      tenant: record.lease.tenant,
      taskId: record.lease.taskId,
      step: step.step,
      turn: step.turn,
      kind: step.kind,
      key: step.key,
      at: step.at,
      data: JSON.stringify(step.data),
    });
  }
}
