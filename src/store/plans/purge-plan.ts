import { refuseUnfinished } from "../../plans/refusals.js";
import { all, type Command, type Effects, run, type Steps } from "../sql/command.js";
import { lockSnapshots } from "../sql/locks.js";
import { sql } from "../sql/statement.js";
import { holdPlan, listAssignments } from "./find-plan.js";

/** A content that another snapshot of the tenant has as well stays. */
const deleteContents = sql(`DELETE FROM blobs WHERE tenant = :tenant
  AND digest IN (SELECT digest FROM plan_files WHERE tenant = :tenant AND plan_id = :planId AND digest IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM plan_files o
    WHERE o.tenant = blobs.tenant AND o.digest = blobs.digest AND o.plan_id <> :planId)`);

/**
 * Grants stay: they hold nothing of the work, and a listener that still names one has to be told that it is spent and not
 * that it was never made.
 */
const ofPlan = ["plan_files", "assignment_runs", "assignments"].map((table) =>
  sql(`DELETE FROM ${table} WHERE tenant = :tenant AND plan_id = :planId`),
);
const closeGrants = sql<{ id: string }>(`UPDATE grants SET revoked_at = :now
  WHERE tenant = :tenant AND plan_id = :planId AND message_id IS NULL AND revoked_at IS NULL RETURNING id`);
const deletePlan = sql(`DELETE FROM plans WHERE tenant = :tenant AND id = :planId`);

/** Complete, long ago, and none of its runs has left a task. */
const completedBy = sql<{ tenant: string; id: string }>(`SELECT p.tenant, p.id FROM plans p
  WHERE p.completed_at IS NOT NULL AND p.completed_at <= :completedBy AND NOT EXISTS (
    SELECT 1 FROM assignment_runs r JOIN tasks t ON t.tenant = r.tenant AND t.id = r.child_id
    WHERE r.tenant = p.tenant AND r.plan_id = p.id)
  ORDER BY p.tenant, p.id LIMIT :limit`);

/** By the operator's word, whether it is complete or not; what its runs have made are ordinary tasks from then on. */
export const purgePlan: (command: { tenant: string; planId: string; now: number }) => Command<void> = ({
  tenant,
  planId,
  now,
}) =>
  function* (effects) {
    yield* holdPlan(tenant, planId);
    refuseUnfinished(yield* listAssignments(tenant, planId));
    yield* remove(tenant, planId, now, effects);
  };

/** At most `limit`; how many there were. What is complete never changes again, and nothing is run for it any more. */
export const purgeOldPlans: (command: { completedBy: number; limit: number; now: number }) => Command<number> = ({
  now,
  ...query
}) =>
  function* (effects) {
    const old = yield* all(completedBy, query);
    for (const { tenant, id } of old) yield* remove(tenant, id, now, effects);
    return old.length;
  };

function* remove(tenant: string, planId: string, now: number, effects: Effects): Steps<void> {
  yield* lockSnapshots(tenant);
  // A listener that serves one lets nobody in by it from here on.
  for (const { id } of yield* all(closeGrants, { tenant, planId, now })) effects.keyRevoked(id);
  yield* run(deleteContents, { tenant, planId });
  for (const statement of ofPlan) yield* run(statement, { tenant, planId });
  yield* run(deletePlan, { tenant, planId });
}
