import { leaseLost } from "../../shared/errors.js";
import type { Settle, Settled, Settlement } from "../../tasks/ledger.js";
import type { TaskFact } from "../../tasks/task-event.js";
import { next, TRANSITIONS } from "../../tasks/task-state.js";
import { type Command, type Effects, one, type Steps } from "../sql/command.js";
import { lockContextOf } from "../sql/locks.js";
import { sql } from "../sql/statement.js";
import { appendEvents } from "./append-events.js";
import { askOperator } from "./approvals/ask.js";
import { closeAll } from "./approvals/open.js";
import { addDeadLetter } from "./dead-letters.js";
import { passLane } from "./lane.js";
import { park, parkOn } from "./park.js";
import { factsOf, OWNED, ownedBy, writeSteps } from "./record-attempt.js";
import { relay } from "./relay.js";
import { MOVED_COLUMNS, type MovedRow, NEW_STATUS } from "./task-row.js";
import { wakeAwaiters } from "./wake.js";

const endAttempt = sql<MovedRow>(`UPDATE tasks SET
    state = :state, artifacts = :artifacts, resuming = :resuming, run_at = COALESCE(:runAt, created_at),
    lease_owner = NULL, lease_until = NULL, seq = seq + :facts, updated_at = :now, started = 1, ${NEW_STATUS},
    input_tokens = input_tokens + :inputTokens, output_tokens = output_tokens + :outputTokens
  WHERE ${OWNED}
  RETURNING ${MOVED_COLUMNS}`);

const attemptsOf = sql<{ attempt: number; max_attempts: number }>(`SELECT attempt, max_attempts FROM tasks
  WHERE tenant = :tenant AND id = :id`);

/** Ends an attempt: everything that it had buffered, its outcome, and whom the outcome sets free, in one transaction. */
export const settle: (command: Settle) => Command<Settled> = (command) =>
  function* (effects) {
    const { outcome, lease } = command;
    yield* lockContextOf(lease.tenant, lease.taskId);
    switch (outcome.type) {
      case "asked": {
        const row = yield* park(
          command,
          { for: outcome.waitingFor, wakeAt: null, askingChildId: null },
          { type: "status", state: "waiting", waitingFor: outcome.waitingFor, message: outcome.message },
          effects,
        );
        yield* passLane(row, effects);
        yield* relay(row, command.now, effects);
        return { state: row.state, seq: row.seq };
      }
      case "awaiting": {
        const row = yield* parkOn(command, outcome, effects);
        return { state: row.state, seq: row.seq };
      }
      case "approval": {
        const row = yield* askOperator(command, outcome, effects);
        return { state: row.state, seq: row.seq };
      }
      case "handed_back":
        return yield* requeue(command, { type: "status", state: "pending" }, null, true, effects);
      case "failed": {
        if (!outcome.retryable) return yield* end(command, outcome, "fail", effects);
        const { attempt, max_attempts } = (yield* one(attemptsOf, { tenant: lease.tenant, id: lease.taskId })) ?? {
          attempt: 0,
          max_attempts: 0,
        };
        if (attempt < max_attempts) {
          const fact: TaskFact = { type: "status", state: "pending", message: outcome.message };
          return yield* requeue(command, fact, outcome.retryAt, false, effects);
        }
        const settled = yield* end(command, outcome, "fail", effects);
        yield* addDeadLetter(lease.tenant, lease.taskId, outcome.message, command.now);
        return settled;
      }
      case "completed":
        return yield* end(command, outcome, "complete", effects);
      case "rejected":
        return yield* end(command, outcome, "reject", effects);
    }
  };

function* requeue(
  command: Settle,
  fact: TaskFact,
  runAt: number | null,
  resuming: boolean,
  effects: Effects,
): Steps<Settled> {
  const row = yield* write(command, "requeue", [...factsOf(command), fact], { runAt, resuming }, effects);
  return { state: row.state, seq: row.seq };
}

function* end(
  command: Settle,
  outcome: Extract<Settlement, { type: "completed" | "failed" | "rejected" }>,
  transition: "complete" | "fail" | "reject",
  effects: Effects,
): Steps<Settled> {
  const { to: state } = TRANSITIONS[transition];
  const fact: TaskFact = { type: "status", state };
  if (outcome.message !== undefined) fact.message = outcome.message;
  const row = yield* write(command, transition, [...factsOf(command), fact], { runAt: null, resuming: false }, effects);
  // Whoever has asked the operator has parked for it, so that this is not the first claim.
  if (command.lease.fence > 1) yield* closeAll(row, "canceled", null, command.now);
  yield* passLane(row, effects);
  const claim = yield* wakeAwaiters(row, command.now, effects, command.offer);
  return claim === undefined ? { state, seq: row.seq } : { state, seq: row.seq, claim };
}

function* write(
  command: Settle,
  transition: "requeue" | "complete" | "fail" | "reject",
  facts: readonly TaskFact[],
  queue: { runAt: number | null; resuming: boolean },
  effects: Effects,
): Steps<MovedRow> {
  const row = yield* one(endAttempt, {
    ...ownedBy(command),
    // Started by this very record, or before.
    state: next(TRANSITIONS.start.to, transition),
    artifacts: transition === "requeue" ? null : JSON.stringify(command.artifacts),
    resuming: queue.resuming ? 1 : 0,
    runAt: queue.runAt,
    facts: facts.length,
  });
  if (row === undefined) throw leaseLost(command.lease.taskId);
  yield* writeSteps(command);
  yield* appendEvents(row, facts, command.now, effects);
  return row;
}
