import type { PushChoice, PushKey, PushState, PushSubscription } from "../../../tasks/push-ledger.js";
import type { SqlParams } from "../../sql/statement.js";

export interface PushRow {
  tenant: string;
  task_id: string;
  id: string;
  principal: string;
  version: "1.0" | "0.3";
  origin: string;
  sealed: string;
  created_at: number;
  sent_seq: number;
  attempts: number;
  next_at: number;
  last_error: string | null;
  last_status: number | null;
  last_at: number | null;
  disabled_at: number | null;
  done_at: number | null;
}

export const PUSH_COLUMNS = `tenant, task_id, id, principal, version, origin, sealed, created_at, sent_seq, attempts, next_at,
  last_error, last_status, last_at, disabled_at, done_at`;

/** The one of a key. */
export const THIS = "tenant = :tenant AND task_id = :taskId AND id = :id";
/** The one of an id, or all of the task. */
export const CHOSEN = "tenant = :tenant AND task_id = :taskId AND (CAST(:id AS TEXT) IS NULL OR id = :id)";
/** In the words of the partial index. */
export const LIVE = "done_at IS NULL AND disabled_at IS NULL";

export const keyParams = ({ tenant, taskId, id }: PushKey) => ({ tenant, taskId, id }) satisfies SqlParams;
export const choiceParams = ({ tenant, taskId, id }: PushChoice) => ({ tenant, taskId, id: id ?? null });

const stateOf = (row: PushRow): PushState => {
  if (row.done_at !== null) return "done";
  return row.disabled_at === null ? "waiting" : "disabled";
};

export const toPush = (row: PushRow): PushSubscription => ({
  tenant: row.tenant,
  taskId: row.task_id,
  id: row.id,
  principal: row.principal,
  version: row.version,
  origin: row.origin,
  sealed: row.sealed,
  state: stateOf(row),
  createdAt: row.created_at,
  sentSeq: row.sent_seq,
  attempts: row.attempts,
  nextAt: row.next_at,
  lastError: row.last_error,
  lastStatus: row.last_status,
  lastAt: row.last_at,
});
