import { LRUCache } from "lru-cache";
import type { Clock } from "../shared/clock.js";
import type { Task } from "../tasks/task.js";
import type { PlanStore } from "./plan-store.js";

/** Roots of delegated tasks that are remembered. */
const REMEMBERED = 10_000;

export type CountedTask = Pick<Task, "tenant" | "id" | "rootId" | "parentId" | "trigger">;

/**
 * Takes an invocation for what is about to be asked in the name of a task, when that task, or the one that it was delegated
 * from, is the run of an assignment. Whether a root is one is decided when it is made, and asked once; a task from
 * elsewhere costs no query.
 *
 * @returns what throws `limit_reached` ALLOWANCE_USED_UP when nothing may be asked any more
 */
export function countInvocations(
  store: Pick<PlanStore, "takeInvocation" | "assignmentOfChild">,
  clock: Clock,
): (task: CountedTask) => Promise<void> {
  const planned = new LRUCache<string, boolean>({ max: REMEMBERED });
  return async ({ tenant, id, rootId, parentId, trigger }) => {
    if (parentId === null) {
      if (trigger !== "plan") return;
    } else {
      let known = planned.get(rootId);
      if (known === undefined) {
        known = (await store.assignmentOfChild(tenant, rootId)) !== null;
        planned.set(rootId, known);
      }
      if (!known) return;
    }
    await store.takeInvocation({ tenant, childId: parentId === null ? id : rootId, now: clock.now() });
  };
}
