import type { TaskKey } from "../../tasks/ledger.js";
import { all, type Command } from "../sql/command.js";
import { type SqlParams, sql } from "../sql/statement.js";

/** So many ids go into one statement; a shorter list is filled up with its first. */
const AT_ONCE = 50;

const NAMES = Array.from({ length: AT_ONCE }, (_, index) => `id${index}`);

const seqOf = sql<{ id: string; seq: number }>(
  `SELECT id, seq FROM tasks WHERE tenant = :tenant AND id IN (${NAMES.map((name) => `:${name}`).join(", ")})`,
);

/** At which event each task stands. */
export const standing: (tasks: readonly TaskKey[]) => Command<(TaskKey & { seq: number })[]> = (tasks) =>
  function* () {
    const idsOf = new Map<string, string[]>();
    for (const { tenant, taskId } of tasks) {
      const ids = idsOf.get(tenant);
      if (ids === undefined) idsOf.set(tenant, [taskId]);
      else ids.push(taskId);
    }
    const found: (TaskKey & { seq: number })[] = [];
    for (const [tenant, ids] of idsOf) {
      for (let start = 0; start < ids.length; start += AT_ONCE) {
        const params: SqlParams = { tenant };
        NAMES.forEach((name, index) => {
          params[name] = (ids[start + index] ?? ids[start]) as string;
        });
        for (const { id, seq } of yield* all(seqOf, params)) found.push({ tenant, taskId: id, seq });
      }
    }
    return found;
  };
