import { isSettled } from "../../tasks/follow.js";
import type { TaskChange, TaskLedger, TenantLedger } from "../../tasks/ledger.js";
import type { Task } from "../../tasks/task.js";
import type { TaskEvent } from "../../tasks/task-event.js";

export type TreeChange =
  /** A task of the tree, as it stood when it was found: the followed task first, a parent before its children. */
  { type: "task"; task: Task } | { type: "event"; taskId: string; event: TaskEvent };

/** Ids of other trees that were looked up once; forgotten all at once, since looking again is only slower. */
const MAX_OUTSIDERS = 10_000;

/** Events read at once. */
const PAGE = 500;

/**
 * Follows a task and all that is delegated from it, at any depth, from the followed task's event `after` on: each event
 * of each task once, and in the order of its task. Ends when the followed task has ended or waits for its caller, or
 * when `signal` aborts; it touches nothing.
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
  const changed = new Changed(ledger, followed, signal);
  const seen = new Map<string, number>();
  const outsiders = new Set<string>();
  try {
    seen.set(followed.id, after);
    yield { type: "task", task: followed };
    changed.add(followed.id);
    for (const task of await descendants(tenant, followed.id)) changed.add(task.id);
    let ended = false;
    // What has changed until then is shown, too.
    while (!signal.aborted && !(ended && changed.isEmpty)) {
      const id = await changed.next();
      if (id === null) return;
      if (!seen.has(id)) {
        if (outsiders.has(id)) continue;
        const branch = await branchTo(tenant, id, seen);
        if (branch.length === 0) {
          if (outsiders.size >= MAX_OUTSIDERS) outsiders.clear();
          outsiders.add(id);
          continue;
        }
        for (const task of branch) {
          seen.set(task.id, 0);
          changed.add(task.id);
          yield { type: "task", task };
        }
      }
      let events: TaskEvent[];
      do {
        events = await tenant.events(id, seen.get(id) ?? 0, PAGE);
        for (const event of events) {
          seen.set(id, event.seq);
          yield { type: "event", taskId: id, event };
        }
      } while (events.length === PAGE && !signal.aborted);
      if (id === followed.id) ended = await hasSettled(tenant, id, seen.get(id) ?? 0);
    }
  } finally {
    changed.stop();
  }
}

/** The tasks from below the known part of the tree down to this one; none when it hangs elsewhere. */
async function branchTo(tenant: TenantLedger, id: string, known: ReadonlyMap<string, number>): Promise<Task[]> {
  const branch: Task[] = [];
  for (let next: string | null = id; next === null || !known.has(next); ) {
    const task: Task | null = next === null ? null : await tenant.task(next);
    if (task === null) return [];
    branch.unshift(task);
    next = task.parentId;
  }
  return branch;
}

/** The task as it stands has settled, and everything that led there has been seen. */
async function hasSettled(tenant: TenantLedger, id: string, seen: number): Promise<boolean> {
  const task = await tenant.task(id);
  return task === null || (isSettled(task) && task.seq <= seen);
}

async function descendants(tenant: TenantLedger, id: string): Promise<Task[]> {
  const found: Task[] = [];
  const parents = [id];
  for (let parent = parents.shift(); parent !== undefined; parent = parents.shift()) {
    for (const child of await tenant.children(parent)) {
      found.push(child);
      parents.push(child.id);
    }
  }
  return found;
}

/** The tasks of one tree that have changed and were not read yet, each once. */
class Changed {
  readonly #ids = new Set<string>();
  readonly #signal: AbortSignal;
  readonly #stop: () => void;
  #ring: () => void = () => {};

  constructor(ledger: TaskLedger, followed: Task, signal: AbortSignal) {
    this.#signal = signal;
    const unlisten = ledger.onChange((change: TaskChange) => {
      if (change.tenant !== followed.tenant) return;
      if (change.rootId !== undefined && change.rootId !== followed.rootId) return;
      this.add(change.taskId);
    });
    const ring = () => this.#ring();
    signal.addEventListener("abort", ring);
    this.#stop = () => {
      unlisten();
      signal.removeEventListener("abort", ring);
    };
  }

  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  add(id: string): void {
    this.#ids.add(id);
    this.#ring();
  }

  /** Waits for a changed task; null when following has been aborted. */
  async next(): Promise<string | null> {
    while (!this.#signal.aborted) {
      for (const id of this.#ids) {
        this.#ids.delete(id);
        return id;
      }
      await new Promise<void>((resolve) => {
        this.#ring = resolve;
        if (this.#signal.aborted) resolve();
      });
    }
    return null;
  }

  stop(): void {
    this.#stop();
  }
}
