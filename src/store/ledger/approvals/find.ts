import type { Approval, ApprovalLedger } from "../../../tasks/approval-ledger.js";
import { type Command, one } from "../../sql/command.js";
import { sql } from "../../sql/statement.js";
import { APPROVAL_COLUMNS, type ApprovalRow, toApproval } from "./approval-row.js";

/** For the operator, who names an approval by its id alone. */
export const byId = sql<ApprovalRow>(`SELECT ${APPROVAL_COLUMNS} FROM approvals WHERE id = :id`);

const ofCall = sql<ApprovalRow>(`SELECT ${APPROVAL_COLUMNS} FROM approvals
  WHERE tenant = :tenant AND task_id = :taskId AND call_id = :callId AND digest = :digest`);

export const findApproval: (id: string) => Command<Approval | null> = (id) =>
  function* () {
    const row = yield* one(byId, { id });
    return row === undefined ? null : toApproval(row);
  };

type OfCall = Parameters<ApprovalLedger["find"]>[0];

export const approvalOf: (tenant: string, call: OfCall) => Command<Approval | null> = (tenant, call) =>
  function* () {
    const { taskId, callId, digest } = call;
    const row = yield* one(ofCall, { tenant, taskId, callId, digest });
    return row === undefined ? null : toApproval(row);
  };
