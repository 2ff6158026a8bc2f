import type { TenantLedger } from "../../tasks/ledger.js";
import type { Task } from "../../tasks/task.js";
import type { TaskEvent } from "../../tasks/task-event.js";

export type TreeChange =
  /** A task of the tree, as it stood when it was found: the followed task first, a parent before its children. */
  { type: "task"; task: Task } | { type: "event"; taskId: string; event: TaskEvent };

/** How far a task of the tree has been shown. */
export interface Shown {
  task: Task;
  announced: boolean;
  /** Number of the last event that was shown. */
  seq: number;
}

/** Events of one task that are held at a time. */
const PAGE = 100;

/**
 * What has happened to these tasks since it was last shown, in the order of time, and keeps `shown` up to date.
 *
 * Parents come before their children in `tasks` and are read first: what a parent does after its child has ended is
 * never shown before that end, since whoever has read the former reads the latter, too.
 */
export async function* treeHistory(tenant: TenantLedger, tasks: readonly Shown[]): AsyncGenerator<TreeChange, void> {
  const sources = tasks.map((shown) => ({ shown, events: [] as TaskEvent[], more: true }));
  for (;;) {
    for (const source of sources) {
      if (source.events.length > 0 || !source.more) continue;
      source.events = await tenant.events(source.shown.task.id, source.shown.seq, PAGE);
      source.more = source.events.length === PAGE;
    }
    const next = earliest(sources);
    const event = next?.events.shift();
    if (next === undefined || event === undefined) return;
    const { shown } = next;
    if (!shown.announced) yield { type: "task", task: shown.task };
    shown.announced = true;
    shown.seq = event.seq;
    yield { type: "event", taskId: shown.task.id, event };
  }
}

function earliest<Source extends { events: readonly TaskEvent[] }>(sources: readonly Source[]): Source | undefined {
  let found: Source | undefined;
  let at = Number.POSITIVE_INFINITY;
  for (const source of sources) {
    const first = source.events[0];
    if (first === undefined || first.at >= at) continue;
    found = source;
    at = first.at;
  }
  return found;
}
