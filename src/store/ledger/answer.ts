import { NuncioError } from "../../shared/errors.js";
import type { Answer, Answered } from "../../tasks/ledger.js";
import { isTerminal } from "../../tasks/task-state.js";
import { type Command, one, type Steps } from "../sql/command.js";
import { lockContextOf } from "../sql/locks.js";
import { sql } from "../sql/statement.js";
import { appendEvents } from "./append-events.js";
import { requireTask } from "./find-task.js";
import { loadEvents } from "./load-snapshot.js";
import { messageIdConflict, takeMessageId } from "./message-ids.js";
import { putPush, refuseMore } from "./push/set.js";
import { TASK_COLUMNS, type TaskRow, toTask } from "./task-row.js";
import { wake } from "./wake.js";

const count = sql<TaskRow>(`UPDATE tasks SET seq = seq + 1, updated_at = :now WHERE tenant = :tenant AND id = :id
  RETURNING ${TASK_COLUMNS}`);

/**
 * A follow-up for a task that has stopped for input or auth. A task that relays the question of a descendant keeps the
 * message in its history, and the descendant gets it to work on.
 */
export const answer: (tenant: string, command: Answer) => Command<Answered> = (tenant, command) =>
  function* (effects) {
    const { taskId, message, now } = command;
    yield* lockContextOf(tenant, taskId);
    const addressed = yield* requireTask(tenant, taskId);
    const { persona } = addressed;
    const { principal, bodyHash } = command;
    const known = yield* takeMessageId({
      tenant,
      persona,
      principal,
      messageId: message.messageId,
      bodyHash,
      taskId,
      now,
    });
    if (known === taskId) {
      return { task: toTask(addressed), answeredId: yield* takerOf(addressed, message.messageId), accepted: false };
    }
    if (known !== null) throw messageIdConflict(message.messageId);
    if (addressed.state !== "waiting" || (addressed.waiting_for !== "input" && addressed.waiting_for !== "auth")) {
      throw notAsking(addressed);
    }
    if (command.push !== undefined) {
      const { push, atMost } = command.push;
      yield* refuseMore(addressed, push, atMost);
      yield* putPush(addressed, push, addressed.seq, now);
    }
    const leafId = addressed.asking_child_id ?? taskId;
    if (leafId !== taskId) {
      const counted = yield* one(count, { tenant, id: taskId, now });
      if (counted !== undefined) {
        yield* appendEvents(counted, [{ type: "message", message, forwardedTo: leafId }], now, effects);
      }
    }
    const leaf = yield* requireTask(tenant, leafId);
    const woken = yield* wake(leaf, now, effects, [{ type: "message", message }]);
    if (woken === undefined) throw notAsking(leaf);
    return { task: toTask(yield* requireTask(tenant, taskId)), answeredId: leafId, accepted: true };
  };

/** Who got a message that this task has taken before. */
function* takerOf(row: TaskRow, messageId: string): Steps<string> {
  for (const event of yield* loadEvents(row.tenant, row.id, { after: 0 })) {
    if (event.type === "message" && event.message.messageId === messageId) return event.forwardedTo ?? row.id;
  }
  return row.id;
}

function notAsking(row: TaskRow): NuncioError {
  const ended = isTerminal(row.state);
  return new NuncioError("failed_precondition", `task ${row.id} is ${row.state} and does not wait for an answer`, {
    field: "message.taskId",
    reason: ended ? "TASK_ENDED" : "TASK_NOT_ASKING",
    hint: ended ? "send a message without a task id to start a new task in the same context" : whatItWaitsFor(row),
    details: { state: row.state },
  });
}

const whatItWaitsFor = ({ waiting_for }: TaskRow): string =>
  waiting_for === "approval" ? "the operator has to decide on its approval first" : "wait until it asks";
