import type { KeptBecause, Purged, PurgeTree } from "../../../tasks/retention-ledger.js";
import { isTerminal } from "../../../tasks/task-state.js";
import { all, type Command, type Effects, one, run, type Steps } from "../../sql/command.js";
import { lockContextOf } from "../../sql/locks.js";
import { sql } from "../../sql/statement.js";
import { announceGone } from "../append-events.js";
import { holdTask } from "../find-task.js";
import { noteDepartures } from "../listing/departures.js";
import { loadEvents } from "../load-snapshot.js";
import { TASK_COLUMNS, type TaskRow } from "../task-row.js";
import { EVENTS_AT_ONCE, markCompacted, removePieces } from "./compact.js";

const DELEGATED = `SELECT id FROM tasks WHERE tenant = :tenant AND root_id = :rootId AND parent_id IS NOT NULL`;

const descendants = sql<TaskRow>(`SELECT ${TASK_COLUMNS} FROM tasks
  WHERE tenant = :tenant AND id IN (${DELEGATED}) ORDER BY id FOR UPDATE`);

const undecided = sql<{ task_id: string }>(`SELECT task_id FROM dead_letters
  WHERE tenant = :tenant AND task_id = :taskId AND retried_as IS NULL`);

const keepKey = sql(`UPDATE submissions SET at = :now
  WHERE tenant = :tenant AND persona = :persona AND principal = :principal AND message_id = :messageId
    AND task_id = :rootId`);

/** A run of a planned task that goes on: what it used counts there, and its result may still be asked for. */
const planned = sql<{ plan_id: string }>(`SELECT p.id AS plan_id FROM assignment_runs r
  JOIN plans p ON p.tenant = r.tenant AND p.id = r.plan_id
  WHERE r.tenant = :tenant AND r.child_id = :taskId AND p.completed_at IS NULL`);

/** A peer may still be at work on it, and nobody could look for it any more. */
const uncertain = sql<{ task_id: string }>(`SELECT task_id FROM dispatches
  WHERE tenant = :tenant AND task_id = :taskId AND holds_slot = 1`);

/** Nobody awaits what has ended, so that there are no waits among them. */
const ownTables = ["events", "journal", "dead_letters", "push_subscriptions", "approvals"].map((table) => ({
  ofRoot: sql(`DELETE FROM ${table} WHERE tenant = :tenant AND task_id = :rootId`),
  ofDelegated: sql(`DELETE FROM ${table} WHERE tenant = :tenant AND task_id IN (${DELEGATED})`),
}));
/** What passed between us and a peer: only a root has it, and only as a run of a planned task. */
const ofRun = ["dispatches", "dispatch_sends", "receipts"].map((table) =>
  sql(`DELETE FROM ${table} WHERE tenant = :tenant AND task_id = :rootId`),
);
const deleteDelegated = sql(`DELETE FROM tasks WHERE tenant = :tenant AND root_id = :rootId AND parent_id IS NOT NULL`);
const deleteRoot = sql(`DELETE FROM tasks WHERE tenant = :tenant AND id = :rootId`);

/**
 * What has ended stays as it is, and nothing is delegated without a parent that runs: what is looked at under the lock of
 * the context is still so when it is deleted. The rows are taken first, in the order of their ids, as compaction does.
 */
export const purgeTree: (command: PurgeTree) => Command<Purged> = (command) =>
  function* (effects) {
    const { tenant, rootId } = command;
    yield* lockContextOf(tenant, rootId);
    const root = yield* holdTask(tenant, rootId);
    if (root === undefined || root.parent_id !== null) return { type: "absent" };
    const tree = [root, ...(yield* all(descendants, { tenant, rootId }))];
    const kept = yield* reasonToKeep(tree, command.endedBy);
    if (kept !== null) return kept;
    if (yield* trim(tree)) return { type: "more" };
    yield* remove(tree, command, effects);
    return { type: "purged", tasks: tree.length };
  };

const isRun = ({ trigger_kind }: TaskRow): boolean => trigger_kind === "plan";

function* reasonToKeep(tree: readonly TaskRow[], endedBy: number): Steps<Purged | null> {
  const because = (row: TaskRow, why: KeptBecause): Purged => ({
    type: "kept",
    taskId: row.id,
    why,
    state: row.state,
  });
  const unfinished = tree.find(({ state }) => !isTerminal(state));
  if (unfinished !== undefined) return because(unfinished, "unfinished");
  const young = tree.find((row) => row.updated_at > endedBy);
  if (young !== undefined) return because(young, "young");
  const root = tree[0] as TaskRow;
  if (isRun(root)) {
    const key = { tenant: root.tenant, taskId: root.id };
    if ((yield* one(planned, key)) !== undefined) return because(root, "planned");
    if ((yield* one(uncertain, key)) !== undefined) return because(root, "uncertain");
  }
  for (const row of tree) {
    if (row.state !== "failed") continue;
    const dead = yield* one(undecided, { tenant: row.tenant, taskId: row.id });
    if (dead !== undefined) return because(row, "dead");
  }
  return null;
}

/** A tree with very many events loses pieces of artifacts first, a few at a time. True when it had some to lose. */
function* trim(tree: readonly TaskRow[]): Steps<boolean> {
  const events = tree.reduce((sum, row) => sum + row.seq, 0);
  if (events <= EVENTS_AT_ONCE) return false;
  let left = EVENTS_AT_ONCE;
  for (const { tenant, id } of tree) {
    yield* markCompacted(tenant, id);
    left -= yield* removePieces(tenant, id, left);
    if (left === 0) return true;
  }
  return false;
}

function* remove(tree: readonly TaskRow[], { tenant, rootId, now }: PurgeTree, effects: Effects): Steps<void> {
  const root = tree[0] as TaskRow;
  const first = (yield* loadEvents(tenant, rootId, { after: 0, limit: 1 }))[0];
  if (first?.type === "message") {
    const { persona, principal } = root;
    yield* run(keepKey, { tenant, rootId, persona, principal, messageId: first.message.messageId, now });
  }
  for (const { ofRoot, ofDelegated } of ownTables) {
    if (tree.length > 1) yield* run(ofDelegated, { tenant, rootId });
    yield* run(ofRoot, { tenant, rootId });
  }
  if (isRun(root)) for (const statement of ofRun) yield* run(statement, { tenant, rootId });
  if (tree.length > 1) yield* run(deleteDelegated, { tenant, rootId });
  yield* run(deleteRoot, { tenant, rootId });
  yield* noteDepartures(tree);
  for (const row of tree) announceGone(row, effects);
}
