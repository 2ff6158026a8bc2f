import { newId } from "../../shared/ids.js";
import type { Submit, Submitted } from "../../tasks/ledger.js";
import type { Command } from "../sql/command.js";
import { lockContext } from "../sql/locks.js";
import { createTask, findPlace } from "./create-task.js";
import { delegate } from "./delegate.js";
import { findTask } from "./find-task.js";
import { takeMessageId, taskOfMessage, taskPurged } from "./message-ids.js";
import { putPush } from "./push/set.js";
import { type QueueRoom, queueIsFull, takeRoom } from "./queue-room.js";
import { toTask } from "./task-row.js";

/**
 * Task, first event, queue entry and the key of the message come into being in one transaction: there is no moment in
 * which one exists without the others. A worker with a free slot may own the task from the start.
 */
export const submit: (tenant: string, command: Submit, room: QueueRoom) => Command<Submitted> = (
  tenant,
  command,
  room,
) =>
  function* (effects) {
    const id = command.id ?? newId();
    // A context that was made for this task has nobody else in it.
    if (command.newContext !== true) yield* lockContext(tenant, command.contextId);
    if (command.delegation !== undefined)
      return yield* delegate(tenant, id, command, command.delegation, room, effects);
    const place = yield* findPlace(tenant, id, command);
    const full = yield* takeRoom(tenant, command, place, room);
    const key = { ...command, tenant, messageId: command.message.messageId, taskId: id };
    // A message that has its task already is answered also by a full queue.
    const existing = full === null ? yield* takeMessageId(key) : yield* taskOfMessage(key);
    if (existing !== null) {
      const task = yield* findTask(tenant, existing);
      if (task === undefined) throw taskPurged(command.message.messageId, existing);
      return { task: toTask(task), created: false };
    }
    // Nothing has been written so far.
    if (full !== null) throw queueIsFull(full);
    const submitted = yield* createTask(tenant, id, command, place, null, effects);
    // What the message itself says is known to whoever sent it.
    if (command.push !== undefined) yield* putPush(submitted.task, command.push, 1, command.now);
    return submitted;
  };
