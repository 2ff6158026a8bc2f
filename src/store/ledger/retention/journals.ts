import { firstIdAt } from "../../../shared/ids.js";
import type { TaskKey } from "../../../tasks/ledger.js";
import type { JournalOwner, Walk, Walked } from "../../../tasks/retention-ledger.js";
import { isTerminal, type TaskState } from "../../../tasks/task-state.js";
import { type Command, one, run } from "../../sql/command.js";
import { sql } from "../../sql/statement.js";
import { ENDED } from "../task-row.js";
import { tenantAfter } from "./tenants.js";

/** From the first step of one task to the first step of the next: what lies between is not read. */
const nextOwner = sql<{ task_id: string; state: TaskState; updated_at: number }>(`SELECT
    journal.task_id, tasks.state, tasks.updated_at
  FROM journal JOIN tasks ON tasks.tenant = journal.tenant AND tasks.id = journal.task_id
  WHERE journal.tenant = :tenant AND journal.task_id > :after AND journal.task_id < :before
  ORDER BY journal.task_id, journal.step LIMIT 1`);

const deleteJournal = sql(`DELETE FROM journal WHERE tenant = :tenant AND task_id = :taskId
  AND EXISTS (SELECT 1 FROM tasks WHERE tenant = :tenant AND id = :taskId AND ${ENDED})`);

export const oldJournals: (query: Walk<TaskKey>) => Command<Walked<JournalOwner, TaskKey>> = (query) =>
  function* () {
    const tenant = query.after?.tenant ?? (yield* tenantAfter("journal", ""));
    if (tenant === null) return { entries: [], next: null };
    const entries: JournalOwner[] = [];
    const before = firstIdAt(query.before);
    for (let after = query.after?.taskId ?? ""; entries.length < query.limit; ) {
      const owner = yield* one(nextOwner, { tenant, after, before });
      if (owner === undefined) {
        const further = yield* tenantAfter("journal", tenant);
        return { entries, next: further === null ? null : { tenant: further, taskId: "" } };
      }
      after = owner.task_id;
      entries.push({ tenant, taskId: owner.task_id, endedAt: isTerminal(owner.state) ? owner.updated_at : null });
    }
    return { entries, next: entries.at(-1) ?? null };
  };

/** A task that has ended never runs again, so nobody needs the steps that it has behind it. */
export const dropJournal: (task: TaskKey) => Command<{ dropped: boolean }> = ({ tenant, taskId }) =>
  function* () {
    return { dropped: (yield* run(deleteJournal, { tenant, taskId })) > 0 };
  };
