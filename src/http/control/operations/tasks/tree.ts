import { z } from "zod";
import type { Task } from "../../../../tasks/task.js";
import { isTerminal } from "../../../../tasks/task-state.js";
import type { ControlDeps } from "../../deps.js";
import { findTask } from "../../find-task.js";
import { operation } from "../../operation.js";
import { id } from "../../schema/fields.js";
import { type TaskTree, taskTree } from "../../schema/task.js";
import { summaryOf, whyOf } from "../../task-json.js";

/** The whole tree that a task belongs to, whichever of its tasks is named. */
export const showTree = operation({
  method: "GET",
  path: "/v1/tasks/:id/tree",
  request: z.strictObject({ id }),
  response: taskTree,
  async handle({ id }, deps) {
    const { task, ledger } = await findTask(deps.ledger, id);
    return treeOf((await ledger.task(task.rootId)) ?? task, deps);
  },
});

/** As deep as `maxHops` and as large as `maxTasksPerRoot` let a tree become. */
async function treeOf(task: Task, deps: ControlDeps): Promise<TaskTree> {
  const { ledger } = deps;
  const facts = isTerminal(task.state) ? null : await ledger.system.queueFacts(task.tenant, task.id);
  const children: TaskTree[] = [];
  for (const child of await ledger.forTenant(task.tenant).children(task.id)) children.push(await treeOf(child, deps));
  return { ...summaryOf(task), why: facts === null ? null : await whyOf(facts, deps), children };
}
