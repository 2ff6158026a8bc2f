import { leaseLost } from "../../shared/errors.js";
import { JOURNAL_FORMAT } from "../../tasks/journal.js";
import type { Append, AttemptRecord } from "../../tasks/ledger.js";
import type { TaskFact } from "../../tasks/task-event.js";
import { TRANSITIONS } from "../../tasks/task-state.js";
import { type Command, one, run, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { moves } from "../sql/transition.js";
import { appendEvents } from "./append-events.js";
import { MOVED_COLUMNS, type MovedRow, NEW_STATUS } from "./task-row.js";

/** The row is still this attempt's: the state and the lease that it had when the attempt last wrote. */
export const OWNED = `tenant = :tenant AND id = :id AND state = :expected AND lease_owner = :owner AND fence = :fence`;

const advancing = (also: string) =>
  sql<MovedRow>(`UPDATE tasks SET
    ${moves("start")}, seq = seq + :facts, updated_at = :now,${also}
    input_tokens = input_tokens + :inputTokens, output_tokens = output_tokens + :outputTokens
  WHERE ${OWNED}
  RETURNING ${MOVED_COLUMNS}`);

/** Two, since what stands in the indexes of the lists is only to be touched where it changes. */
const advance = advancing("");
const advanceStatus = advancing(` started = 1, ${NEW_STATUS},`);

const insertStep = sql(`INSERT INTO journal (tenant, task_id, step, turn, kind, key, at, format, data)
  VALUES (:tenant, :taskId, :step, :turn, :kind, :key, :at, ${JOURNAL_FORMAT}, :data)`);

/** An attempt runs. */
export const STARTED: TaskFact = { type: "status", state: "processing" };

/** The facts of a record, with the one that says that the attempt runs when this is its first. */
export const factsOf = (record: AttemptRecord): readonly TaskFact[] =>
  record.start ? [STARTED, ...record.facts] : record.facts;

const isStatus = ({ type }: TaskFact): boolean => type === "status";

/**
 * What every update by an attempt carries, for `OWNED`: which task, the proof that it is still this attempt's, and what
 * has been counted. Where no row matches, the lease is lost.
 */
export const ownedBy = ({ lease, ...record }: AttemptRecord) => ({
  tenant: lease.tenant,
  id: lease.taskId,
  owner: lease.owner,
  fence: lease.fence,
  expected: record.start ? TRANSITIONS.start.from[0] : TRANSITIONS.start.to,
  now: record.now,
  inputTokens: record.inputTokens,
  outputTokens: record.outputTokens,
});

export const append: (record: Append) => Command<{ seq: number }> = (record) =>
  function* (effects) {
    const facts = factsOf(record);
    const row = yield* one(facts.some(isStatus) ? advanceStatus : advance, { ...ownedBy(record), facts: facts.length });
    if (row === undefined) throw leaseLost(record.lease.taskId);
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
