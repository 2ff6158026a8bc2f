import { NuncioError } from "../../shared/errors.js";
import type { Delegation, Submit, Submitted } from "../../tasks/ledger.js";
import { isTerminal } from "../../tasks/task-state.js";
import { type Effects, one, type Steps } from "../sql/command.js";
import { lockTarget } from "../sql/locks.js";
import { sql } from "../sql/statement.js";
import { createTask, findPlace } from "./create-task.js";
import { findTask } from "./find-task.js";
import { parkOn } from "./park.js";
import { type QueueRoom, queueIsFull, takeRoom } from "./queue-room.js";
import { append } from "./record-attempt.js";
import { type TaskRow, toTask, UNFINISHED } from "./task-row.js";
import { tokensOfRoot } from "./tokens.js";

const guarded = sql<{ in_flight: number; children: number; tree: number }>(`SELECT
    (SELECT count(*) FROM tasks
      WHERE tenant = :tenant AND persona = :persona AND lane IS NULL AND ${UNFINISHED}) AS in_flight,
    (SELECT count(*) FROM tasks WHERE tenant = :tenant AND parent_id = :parentId) AS children,
    (SELECT count(*) FROM tasks WHERE tenant = :tenant AND root_id = :rootId AND parent_id IS NOT NULL) AS tree`);

/**
 * A running attempt submits a child. What the attempt had buffered is recorded in the same transaction, and with `park`
 * the attempt ends in it, too. A child that is already there is the one that an earlier attempt submitted before it
 * died: its id was derived from the recorded step.
 *
 * The guards count rows, not tokens that somebody has to give back: waiting, retrying and crashed tasks hold their
 * place exactly as long as they are unfinished.
 */
export function* delegate(
  tenant: string,
  id: string,
  command: Submit,
  delegation: Delegation,
  room: QueueRoom,
  effects: Effects,
): Steps<Submitted> {
  const { from, park } = delegation;
  const parentId = from.lease.taskId;
  const existing = yield* findTask(tenant, id);
  const place = existing === undefined ? yield* findPlace(tenant, id, command) : undefined;
  // A child that is done in this transaction need not be waited for.
  const foreseen = command.foreseen !== undefined && place !== undefined && place.offer !== null;
  const awaits = park !== undefined && !foreseen && (existing === undefined || !isTerminal(existing.state));
  // Before the guards, since what a lost lease is told is that it is lost; and a parent that parks does so before the
  // child is made, so that the slot that it frees is there for the child.
  if (awaits) yield* parkOn(from, { taskIds: [id], until: park.until, newId: id }, effects);
  else yield* append(from)(effects);
  const parked = awaits ? { parked: true } : {};
  if (existing !== undefined || place === undefined) {
    return { task: toTask(existing as TaskRow), created: false, ...parked };
  }
  yield* lockTarget(tenant, command.persona);
  yield* checkGuards(tenant, command.persona, parentId, delegation);
  const full = yield* takeRoom(tenant, command, place, room);
  if (full !== null) throw queueIsFull(full);
  const parent = { id: parentId, rootId: delegation.rootId, hop: delegation.hop };
  return { ...(yield* createTask(tenant, id, command, place, parent, effects)), ...parked };
}

function* checkGuards(tenant: string, persona: string, parentId: string, guards: Delegation): Steps<void> {
  const counts = yield* one(guarded, { tenant, persona, parentId, rootId: guards.rootId });
  const { in_flight, children, tree } = counts ?? { in_flight: 0, children: 0, tree: 0 };
  if (in_flight >= guards.maxConcurrentPerTarget) {
    throw limitReached(
      "maxConcurrentPerTarget",
      guards.maxConcurrentPerTarget,
      `${JSON.stringify(persona)} already has ${in_flight} delegated task(s) in flight`,
      "try again when one of them has finished",
    );
  }
  if (children >= guards.maxChildrenPerTask) {
    throw limitReached(
      "maxChildrenPerTask",
      guards.maxChildrenPerTask,
      `this task has already delegated ${children} tasks`,
      "finish with what has been delegated",
    );
  }
  const tokens = yield* tokensOfRoot(tenant, guards.rootId);
  if (tokens >= guards.maxTokensPerRoot) {
    throw limitReached(
      "maxTokensPerRoot",
      guards.maxTokensPerRoot,
      `the request that this task belongs to has used ${tokens} model tokens`,
      "finish with what you have",
    );
  }
  if (tree >= guards.maxTasksPerRoot) {
    throw limitReached(
      "maxTasksPerRoot",
      guards.maxTasksPerRoot,
      `the request that this task belongs to has already led to ${tree} delegated tasks`,
      "finish with what has been delegated",
    );
  }
}

const limitReached = (limit: string, value: number, what: string, hint: string) =>
  new NuncioError("limit_reached", `${what}; the limit is ${value} (a2a.${limit})`, {
    reason: limit,
    hint,
    details: { limit: value },
  });
