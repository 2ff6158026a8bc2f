import { isSettled } from "../../tasks/follow.js";
import type { TaskLedger, TenantLedger } from "../../tasks/ledger.js";
import type { Task } from "../../tasks/task.js";
import { TreeChanges } from "./tree-changes.js";
import { type Shown, type TreeChange, treeHistory } from "./tree-history.js";

/** Ids of other trees that were looked up once; forgotten all at once, since looking again is only slower. */
const MAX_OUTSIDERS = 10_000;

/**
 * Follows a task and all that is delegated from it, at any depth, from the followed task's event `after` on: each event
 * of each task once. Ends when the followed task has ended or waits for its caller, or when `signal` aborts; it touches
 * nothing.
 *
 * A change only marks its task as changed, and events are then read from the ledger by number: whatever was
 * announced twice, late or in another process, no event is missed or repeated. Listening starts before the first read.
 */
export async function* followTree(
  ledger: TaskLedger,
  followed: Task,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<TreeChange, void> {
  const tenant = ledger.forTenant(followed.tenant);
  const changes = new TreeChanges(ledger, followed, signal);
  const root: Shown = { task: followed, announced: true, seq: after };
  /** In the order in which they were found: parents before their children. */
  const tree = new Map([[followed.id, root]]);
  const outsiders = new Set<string>();
  try {
    yield { type: "task", task: followed };
    changes.add(followed.id);
    for (const id of await descendants(tenant, followed.id)) changes.add(id);
    let ended = false;
    // What has changed until then is shown, too.
    while (!signal.aborted && !(ended && changes.isEmpty)) {
      const changed = await changes.take();
      for (const id of changed) {
        if (tree.has(id) || outsiders.has(id)) continue;
        const branch = await branchTo(tenant, id, tree);
        for (const task of branch) {
          tree.set(task.id, { task, announced: false, seq: 0 });
          changed.add(task.id);
        }
        if (branch.length > 0) continue;
        if (outsiders.size >= MAX_OUTSIDERS) outsiders.clear();
        outsiders.add(id);
      }
      const known = [...tree.values()].filter(({ task }) => changed.has(task.id));
      for await (const change of treeHistory(tenant, known)) {
        if (signal.aborted) return;
        yield change;
      }
      if (changed.has(followed.id)) ended = await hasSettled(tenant, root);
    }
  } finally {
    changes.stop();
  }
}

/** The task as it stands has settled, and everything that led there has been shown. */
async function hasSettled(tenant: TenantLedger, { task, seq }: Shown): Promise<boolean> {
  const now = await tenant.task(task.id);
  return now === null || (isSettled(now) && now.seq <= seq);
}

/** Parents before their children. */
async function descendants(tenant: TenantLedger, id: string): Promise<string[]> {
  const found = [id];
  for (const parent of found) for (const child of await tenant.children(parent)) found.push(child.id);
  return found.slice(1);
}

/** The tasks from below the known part of the tree down to this one; none when it hangs elsewhere. */
async function branchTo(tenant: TenantLedger, id: string, tree: ReadonlyMap<string, Shown>): Promise<Task[]> {
  const branch: Task[] = [];
  for (let next: string | null = id; next === null || !tree.has(next); ) {
    const task: Task | null = next === null ? null : await tenant.task(next);
    if (task === null) return [];
    branch.unshift(task);
    next = task.parentId;
  }
  return branch;
}
