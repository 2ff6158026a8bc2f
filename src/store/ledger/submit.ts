import { newId } from "../../shared/ids.js";
import type { Submit, Submitted } from "../../tasks/ledger.js";
import type { Command } from "../sql/command.js";
import { createTask } from "./create-task.js";
import { delegate } from "./delegate.js";
import { requireTask } from "./find-task.js";
import { takeMessageId } from "./message-ids.js";
import { toTask } from "./task-row.js";

/**
 * Task, first event, queue entry and the key of the message come into being in one transaction: there is no moment in
 * which one exists without the others. A worker with a free slot may own the task from the start.
 */
export const submit: (tenant: string, command: Submit) => Command<Submitted> = (tenant, command) =>
  function* (effects) {
    const id = command.id ?? newId();
    if (command.delegation !== undefined) return yield* delegate(tenant, id, command, command.delegation, effects);
    const existing = yield* takeMessageId({ ...command, tenant, messageId: command.message.messageId, taskId: id });
    if (existing !== null) return { task: toTask(yield* requireTask(tenant, existing)), created: false };
    return yield* createTask(tenant, id, command, null, effects);
  };
