import { JOURNAL_FORMAT, type JournalStep } from "../../tasks/journal.js";
import type { Claim } from "../../tasks/ledger.js";
import { all, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { requireKnownFormat } from "./format.js";
import { loadSnapshot } from "./load-snapshot.js";
import type { TaskRow } from "./task-row.js";

interface StepRow {
  step: number;
  turn: number;
  kind: string;
  key: string;
  at: number;
  format: number;
  data: string;
}

const stepsOf = sql<StepRow>(`SELECT step, turn, kind, key, at, format, data FROM journal
  WHERE tenant = :tenant AND task_id = :taskId ORDER BY step`);

function* loadJournal(tenant: string, taskId: string): Steps<JournalStep[]> {
  const rows = yield* all(stepsOf, { tenant, taskId });
  return rows.map(({ format, data, ...step }) => {
    requireKnownFormat(format, JOURNAL_FORMAT, taskId, `step ${step.step}`);
    return { ...step, data: JSON.parse(data) };
  });
}

/** All that a run needs of a task that has just been claimed. */
export function* loadClaim(row: TaskRow): Steps<Claim> {
  return {
    lease: { tenant: row.tenant, taskId: row.id, owner: row.lease_owner as string, fence: row.fence },
    snapshot: yield* loadSnapshot(row),
    journal: yield* loadJournal(row.tenant, row.id),
    maxAttempts: row.max_attempts,
  };
}
