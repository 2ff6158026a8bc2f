import { z } from "zod";
import type { Task } from "../../../../tasks/task.js";
import type { ControlDeps } from "../../deps.js";
import { findTask } from "../../find-task.js";
import { followTree } from "../../follow-tree.js";
import { streamOperation } from "../../operation.js";
import { id } from "../../schema/fields.js";
import { followLine } from "../../schema/task-event.js";
import { eventJson, summaryOf } from "../../task-json.js";

/** Ends when the task has ended or waits for its caller; a client that leaves changes nothing. */
export const followTask = streamOperation({
  method: "GET",
  path: "/v1/tasks/:id/follow",
  request: z.strictObject({ id, after: z.coerce.number().int().min(0).default(0) }),
  line: followLine,
  async open({ id, after }, deps, signal) {
    const { task } = await findTask(deps.ledger, id);
    return lines(deps, task, after, signal);
  },
});

async function* lines({ ledger }: ControlDeps, task: Task, after: number, signal: AbortSignal) {
  for await (const change of followTree(ledger, task, after, signal)) {
    if (change.type === "task") yield { type: "task" as const, task: summaryOf(change.task) };
    else yield { type: "event" as const, taskId: change.taskId, event: eventJson(change.event) };
  }
}
