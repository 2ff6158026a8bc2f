import { decidedBelow } from "../../tasks/approval-message.js";
import type { Claim, ClaimOffer, WakeDue } from "../../tasks/ledger.js";
import type { TaskFact } from "../../tasks/task-event.js";
import { next } from "../../tasks/task-state.js";
import { all, type Command, type Effects, one, run, type Steps } from "../sql/command.js";
import { lockContextOf } from "../sql/locks.js";
import { sql } from "../sql/statement.js";
import { allows } from "../sql/transition.js";
import { appendEvents } from "./append-events.js";
import { expireOpen } from "./approvals/open.js";
import { tellAwaiters } from "./approvals/tell.js";
import { isOldest, loadOrPutBack } from "./claim.js";
import { findTask } from "./find-task.js";
import { laneIsTaken } from "./lane.js";
import { asks, relay } from "./relay.js";
import { type MovedRow, NEW_STATUS, TASK_COLUMNS, type TaskRow } from "./task-row.js";
import { awaitersOf, stopAwaiting } from "./waits.js";

const toQueue = sql(`UPDATE tasks SET
    state = :state, waiting_for = NULL, asking_child_id = NULL, wake_at = NULL, resuming = :resuming,
    blocked = :blocked, turn = :turn, run_at = created_at, seq = :seq, updated_at = :now, ${NEW_STATUS},
    fence = :fence, lease_owner = :owner, lease_until = :clock + :leaseMs
  WHERE tenant = :tenant AND id = :id AND ${allows("wake")} AND seq = :seenSeq`);

const dueNow = sql<TaskRow>(`SELECT ${TASK_COLUMNS} FROM tasks
  WHERE wake_at IS NOT NULL AND wake_at <= :now ORDER BY wake_at LIMIT :limit`);

/** Asked at each tick, so that it must not read the tasks that wait: their index says it. */
const dueAfter = sql<{ wake_at: number }>(`SELECT wake_at FROM tasks
  WHERE wake_at IS NOT NULL ORDER BY wake_at LIMIT 1 OFFSET :due`);

const PENDING: TaskFact = { type: "status", state: "pending" };

/**
 * A waiting task goes back to the queue, to the place that its age gives it, and continues its attempt. It awaits
 * nobody any more, and what it asked or relayed is gone. `before` are facts that explain why. With an offer it is
 * claimed in the same step, unless older work of its persona waits.
 */
export function* wake(
  row: TaskRow,
  now: number,
  effects: Effects,
  before: readonly TaskFact[] = [],
  offer?: ClaimOffer,
): Steps<{ row: TaskRow; claim?: Claim } | undefined> {
  const blocked = yield* laneIsTaken(row.tenant, row.lane, row.id);
  const claimed = offer !== undefined && !blocked && (yield* isOldest({ ...row, run_at: row.created_at }, now));
  const facts = [...before, PENDING];
  const woken: TaskRow = {
    ...row,
    state: claimed ? next(next(row.state, "wake"), "claim") : next(row.state, "wake"),
    waiting_for: null,
    asking_child_id: null,
    wake_at: null,
    // A claim that continues a parked attempt does not count as another one.
    resuming: claimed ? 0 : 1,
    blocked: blocked ? 1 : 0,
    turn: row.turn + (before.some((fact) => fact.type === "message") ? 1 : 0),
    run_at: row.created_at,
    seq: row.seq + facts.length,
    updated_at: now,
    status_at: Math.max(now, row.created_at),
    fence: row.fence + (claimed ? 1 : 0),
    lease_owner: claimed ? offer.owner : null,
  };
  const { tenant, id, state, resuming, turn, seq, fence } = woken;
  const changed = yield* run(toQueue, {
    ...{ tenant, id, state, resuming, turn, seq, fence, now },
    blocked: woken.blocked,
    owner: woken.lease_owner,
    leaseMs: claimed ? offer.leaseMs : null,
    seenSeq: row.seq,
  });
  if (changed === 0) return undefined;
  yield* appendEvents(woken, facts, now, effects);
  yield* stopAwaiting(woken);
  if (asks(row)) yield* relay(woken, now, effects);
  if (!claimed) return { row: woken };
  const loaded = yield* loadOrPutBack(woken, woken.run_at, effects);
  return "refused" in loaded ? { row: woken } : { row: woken, claim: loaded };
}

/** Whoever awaits `ended` is woken; the first of them is claimed at once when the offer allows it. */
export function* wakeAwaiters(
  ended: MovedRow,
  now: number,
  effects: Effects,
  offer?: ClaimOffer,
): Steps<Claim | undefined> {
  // Only what was delegated is ever awaited.
  if (ended.parent_id === null) return undefined;
  let claim: Claim | undefined;
  for (const awaiter of yield* awaitersOf(ended)) {
    const woken = yield* wake(awaiter, now, effects, [], claim === undefined ? offer : undefined);
    claim ??= woken?.claim;
  }
  return claim;
}

/** Waiting tasks whose time is up, those that have waited longest first, and when the next one after them is due. */
export const findDue: (command: WakeDue) => Command<{ due: TaskRow[]; nextAt: number | null }> = ({ now, limit }) =>
  function* () {
    const due = yield* all(dueNow, { now, limit });
    const next = yield* one(dueAfter, { due: due.length });
    return { due, nextAt: next?.wake_at ?? null };
  };

/** False when somebody has woken it meanwhile, or it waits for something else. */
export const wakeIfDue: (seen: TaskRow, now: number) => Command<boolean> = ({ tenant, id }, now) =>
  function* (effects) {
    yield* lockContextOf(tenant, id);
    const row = yield* findTask(tenant, id);
    if (row === undefined || row.wake_at === null || row.wake_at > now) return false;
    for (const { tool } of yield* expireOpen(row, now)) {
      yield* tellAwaiters(row, decidedBelow({ persona: row.persona, taskId: id, tool }, "expired"), now, effects);
    }
    return (yield* wake(row, now, effects)) !== undefined;
  };
