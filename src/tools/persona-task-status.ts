import { z } from "zod";
import type { Clock } from "../shared/clock.js";
import { notFound } from "../shared/errors.js";
import type { TaskLedger } from "../tasks/ledger.js";
import { isTerminal } from "../tasks/task-state.js";
import { milliseconds, text } from "./arguments.js";
import { hostTool } from "./host-tool.js";
import { maySend, SEND_NEEDS } from "./send-capability.js";
import { taskAnswer } from "./task-answer.js";

const args = z.strictObject({
  task_id: text(200).describe("The task_id that persona_send returned"),
  wait_ms: milliseconds(600_000).default(0).describe("How long to wait for the task to finish, in ms"),
});

/** Shows a task that this persona delegated in this context, in whatever run; any other is absent to it. */
export function personaTaskStatus(house: { ledger: TaskLedger; clock: Clock }) {
  return hostTool({
    name: "persona_task_status",
    description:
      "Shows a task that you handed to another persona: { task_id, status, reply | error }. Status is pending, claimed, processing, completed or failed. " +
      "With wait_ms it waits until the task is finished or the time is up.",
    args,
    offeredTo: maySend,
    needs: SEND_NEEDS,
    idempotent: true,
    async run({ task_id, wait_ms }, call) {
      const { tenant, contextId, persona } = call.attempt.task;
      const task = await house.ledger.forTenant(tenant).snapshot(task_id);
      if (
        task === null ||
        task.parentId === null ||
        task.contextId !== contextId ||
        task.principal !== `persona:${persona}`
      ) {
        throw notFound("task", task_id, "only tasks that you delegated in this conversation can be seen");
      }
      if (wait_ms === 0 || isTerminal(task.state)) return taskAnswer(task);
      const until = call.start().at + wait_ms;
      return house.clock.now() < until ? { type: "wait", taskIds: [task.id], until } : taskAnswer(task);
    },
  });
}
