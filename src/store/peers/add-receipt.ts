import { run, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";

/** Numbered under the lock of the dispatch's row, which whoever writes one holds: no gap, and no number twice. */
const insertReceipt = sql(`INSERT INTO receipts (tenant, task_id, number, at, kind, facts)
  VALUES (:tenant, :taskId,
    (SELECT COALESCE(max(number), 0) + 1 FROM receipts WHERE tenant = :tenant AND task_id = :taskId),
    :at, :kind, :facts)`);

export function* addReceipt(
  of: { tenant: string; taskId: string },
  kind: string,
  facts: Record<string, unknown>,
  at: number,
): Steps<void> {
  yield* run(insertReceipt, { tenant: of.tenant, taskId: of.taskId, at, kind, facts: JSON.stringify(facts) });
}
