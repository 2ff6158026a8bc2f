import { firstIdAt } from "../../../shared/ids.js";
import type { TaskKey } from "../../../tasks/ledger.js";
import type { OldTask, Walk, Walked } from "../../../tasks/retention-ledger.js";
import { isTerminal, type TaskState } from "../../../tasks/task-state.js";
import { all, type Command } from "../../sql/command.js";
import { sql } from "../../sql/statement.js";
import { tenantAfter } from "./tenants.js";

interface OldRow {
  id: string;
  parent_id: string | null;
  state: TaskState;
  compacted: number;
  updated_at: number;
}

/** Along the primary key, and nothing of the row that may be large: 500 took 1 ms. */
const oldest = sql<OldRow>(`SELECT id, parent_id, state, compacted, updated_at FROM tasks
  WHERE tenant = :tenant AND id > :after AND id < :before ORDER BY id LIMIT :limit`);

export const oldTasks: (query: Walk<TaskKey>) => Command<Walked<OldTask, TaskKey>> = ({ after, before, limit }) =>
  function* () {
    const tenant = after?.tenant ?? (yield* tenantAfter("tasks", ""));
    if (tenant === null) return { entries: [], next: null };
    const range = { tenant, after: after?.taskId ?? "", before: firstIdAt(before), limit };
    const entries = (yield* all(oldest, range)).map(
      (row): OldTask => ({
        tenant,
        taskId: row.id,
        parentId: row.parent_id,
        endedAt: isTerminal(row.state) ? row.updated_at : null,
        compacted: row.compacted === 1,
      }),
    );
    const last = entries.at(-1);
    if (last !== undefined && entries.length === limit) return { entries, next: { tenant, taskId: last.taskId } };
    const further = yield* tenantAfter("tasks", tenant);
    return { entries, next: further === null ? null : { tenant: further, taskId: "" } };
  };
