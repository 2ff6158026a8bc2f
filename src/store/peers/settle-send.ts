import type { Dispatch } from "../../peers/dispatch.js";
import { ANSWERED, type SettleSend } from "../../peers/peer-store.js";
import { type Command, one, run, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { addReceipt } from "./add-receipt.js";
import type { DispatchRow } from "./dispatch-row.js";
import { changeDispatch, holdDispatch, withSends } from "./hold-dispatch.js";
import { resultFacts } from "./result-facts.js";

const updateSend = sql<{ turn: number }>(`UPDATE dispatch_sends SET state = :state, error = :error, settled_at = :now
  WHERE tenant = :tenant AND task_id = :taskId AND turn = :turn AND state = 'sending' RETURNING turn`);
const insideSend = sql(`UPDATE dispatch_sends SET state = 'unknown', error = :error
  WHERE tenant = :tenant AND task_id = :taskId AND turn = :turn`);

const OTHER_TASK = "the peer answered with the id of another task";

export const settleSend: (command: SettleSend) => Command<Dispatch> = (command) =>
  function* () {
    const { tenant, taskId, turn, outcome, now } = command;
    const row = yield* holdDispatch(tenant, taskId);
    const error = outcome.type === "accepted" ? null : outcome.error;
    const settled = yield* one(updateSend, { tenant, taskId, turn, state: outcome.type, error, now });
    if (settled === undefined) {
      // What comes after the send was settled, as after `unknown`, is looked at by people and by nothing else.
      yield* addReceipt(command, "late_answer", { turn, ...said(command) }, now);
      return yield* withSends(row);
    }
    return yield* withSends(
      outcome.type === "accepted" ? yield* accepted(row, command) : yield* turnedAway(row, command, outcome),
    );
  };

function* turnedAway(
  row: DispatchRow,
  command: SettleSend,
  { type, error }: { type: "refused" | "unknown"; error: string },
): Steps<DispatchRow> {
  const { turn, now } = command;
  yield* addReceipt(command, type, { turn, error }, now);
  if (type === "unknown") return yield* changeDispatch(row, { state: "unknown", last_error: error }, now);
  // A peer that refuses an answer has still taken up the work before it.
  const change: Partial<DispatchRow> = turn === 1 ? { state: "refused", holds_slot: 0 } : { state: "accepted" };
  return yield* changeDispatch(row, { ...change, last_error: error }, now);
}

function* accepted(row: DispatchRow, command: SettleSend): Steps<DispatchRow> {
  const { tenant, taskId, turn, outcome, now } = command;
  if (outcome.type !== "accepted") return row;
  const { remoteTaskId, remoteContextId, answer } = outcome;
  const known = row.remote_task_id;
  if (known !== null && remoteTaskId !== null && remoteTaskId !== known) {
    yield* run(insideSend, { tenant, taskId, turn, error: OTHER_TASK });
    yield* addReceipt(command, "ids_refused", { turn, known, ...said(command) }, now);
    return yield* changeDispatch(row, { state: "unknown", last_error: OTHER_TASK, last_contact_at: now }, now);
  }
  const change: Partial<DispatchRow> = {
    state: "accepted",
    remote_task_id: known ?? remoteTaskId,
    remote_context_id: row.remote_context_id ?? remoteContextId,
    last_contact_at: now,
    last_error: null,
  };
  yield* addReceipt(command, "accepted", { turn, ...said(command) }, now);
  if (known === null && answer !== null) {
    Object.assign(change, { remote_state: ANSWERED, remote_state_at: now, remote_ended_at: now, holds_slot: 0 });
    change.result = JSON.stringify(answer);
    yield* addReceipt(command, "remote_ended", { state: ANSWERED, ...resultFacts(answer) }, now);
  }
  return yield* changeDispatch(row, change, now);
}

/** What the answer said of itself. */
const said = ({ outcome }: SettleSend): Record<string, unknown> =>
  outcome.type === "accepted"
    ? { outcome: outcome.type, remoteTaskId: outcome.remoteTaskId, remoteContextId: outcome.remoteContextId }
    : { outcome: outcome.type, error: outcome.error };
