import { newId } from "../../../shared/ids.js";
import type { NewApproval } from "../../../tasks/approval-ledger.js";
import { askedBelow } from "../../../tasks/approval-message.js";
import type { Settle, Settlement } from "../../../tasks/ledger.js";
import { type Effects, one, run, type Steps } from "../../sql/command.js";
import { sql } from "../../sql/statement.js";
import { awaitTasks, park } from "../park.js";
import type { TaskRow } from "../task-row.js";
import { wake } from "../wake.js";
import type { ApprovalRow } from "./approval-row.js";
import { tellAwaiters } from "./tell.js";

const insert = sql(`INSERT INTO approvals (tenant, task_id, call_id, digest, id, root_id, persona, tool, arguments,
    created_at, expires_at)
  VALUES (:tenant, :taskId, :callId, :digest, :id, :rootId, :persona, :tool, :arguments, :now, :expiresAt)
  ON CONFLICT (tenant, task_id, call_id, digest) DO UPDATE SET
    decision = NULL, decided_at = NULL, created_at = :now, expires_at = :expiresAt
  WHERE approvals.decision = 'canceled'`);

/** With other arguments it is another question, and the one that nobody has answered yet is not asked any more. */
const withdraw = sql(`UPDATE approvals SET decision = 'canceled', decided_at = :now
  WHERE tenant = :tenant AND task_id = :taskId AND call_id = :callId AND digest <> :digest AND decision IS NULL`);

const decisionOf = sql<Pick<ApprovalRow, "decision">>(`SELECT decision FROM approvals
  WHERE tenant = :tenant AND task_id = :taskId AND call_id = :callId AND digest = :digest`);

/**
 * An attempt ends by asking the operator. What it has asked before is not asked again; when the answer has come while the
 * attempt was on its way here, the task does not wait for it.
 */
export function* askOperator(
  command: Settle,
  outcome: Extract<Settlement, { type: "approval" }>,
  effects: Effects,
): Steps<TaskRow> {
  const { now } = command;
  const row = yield* park(
    command,
    { for: "approval", wakeAt: outcome.until, askingChildId: null },
    { type: "status", state: "waiting", waitingFor: "approval", message: outcome.message },
    effects,
  );
  const asked: NewApproval[] = [];
  let decided = false;
  for (const request of outcome.requests) {
    if (yield* add(row, request, now)) asked.push(request);
    else decided ||= yield* isDecided(row, request);
  }
  if (decided) return (yield* wake(row, now, effects))?.row ?? row;
  for (const { tool } of asked) {
    yield* tellAwaiters(row, askedBelow({ persona: row.persona, taskId: row.id, tool }), now, effects);
  }
  return yield* awaitTasks(row, { taskIds: outcome.taskIds ?? [] }, now, effects);
}

/** False when it is there. What was withdrawn for another question is asked again. */
function* add({ tenant, id: taskId, root_id: rootId, persona }: TaskRow, request: NewApproval, now: number) {
  const { callId, digest, tool, expiresAt } = request;
  const args = JSON.stringify(request.arguments);
  const question = { tenant, taskId, callId, digest, id: newId(), rootId, persona, tool, arguments: args };
  const isNew = (yield* run(insert, { ...question, now, expiresAt })) > 0;
  if (isNew) yield* run(withdraw, { tenant, taskId, callId, digest, now });
  return isNew;
}

function* isDecided({ tenant, id: taskId }: TaskRow, { callId, digest }: NewApproval): Steps<boolean> {
  const found = yield* one(decisionOf, { tenant, taskId, callId, digest });
  return found !== undefined && found.decision !== null;
}
