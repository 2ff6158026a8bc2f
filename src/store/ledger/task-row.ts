import type { Task, Trigger } from "../../tasks/task.js";
import { type TaskState, TERMINAL_STATES, type WaitReason } from "../../tasks/task-state.js";
import { allows } from "../sql/transition.js";

/** A row of `tasks`, as both databases return it. Rows exist only inside the store. */
export interface TaskRow {
  tenant: string;
  id: string;
  context_id: string;
  persona: string;
  principal: string;
  trigger_kind: Trigger;
  state: TaskState;
  waiting_for: WaitReason | null;
  asking_child_id: string | null;
  parent_id: string | null;
  root_id: string;
  hop: number;
  turn: number;
  lane: string | null;
  blocked: number;
  attempt: number;
  max_attempts: number;
  resuming: number;
  fence: number;
  lease_owner: string | null;
  lease_until: number | null;
  run_at: number;
  wake_at: number | null;
  seq: number;
  retry_of: string | null;
  input_tokens: number;
  output_tokens: number;
  created_at: number;
  updated_at: number;
  /** Time of the current status, as callers are shown it: never before the task was created. */
  status_at: number;
  /** An attempt has run. */
  started: number;
  /** Its caller is given a Message and shown no task: it stands in no list of theirs. */
  unlisted: number;
}

/** Every column but the artifacts, which may be large and are read only for snapshots. */
export const TASK_COLUMNS = `tenant, id, context_id, persona, principal, trigger_kind, state, waiting_for, asking_child_id,
  parent_id, root_id, hop, turn, lane, blocked, attempt, max_attempts, resuming, fence, lease_owner, lease_until, run_at,
  wake_at, seq, retry_of, input_tokens, output_tokens, created_at, updated_at, status_at, started, unlisted`;

/**
 * What is needed of a task whose run has just been recorded: to number and announce its events, and to see whom its
 * end sets free. Returning all thirty columns from an update took 37 µs longer than the update itself.
 */
export type MovedRow = Pick<
  TaskRow,
  | "tenant"
  | "id"
  | "root_id"
  | "persona"
  | "state"
  | "seq"
  | "blocked"
  | "run_at"
  | "lane"
  | "parent_id"
  | "wake_at"
  | "unlisted"
>;
export const MOVED_COLUMNS =
  "tenant, id, root_id, persona, state, seq, blocked, run_at, lane, parent_id, wake_at, unlisted";

/** For `SET`, where a status is told: lists are sorted by its time, and a clock that was set back must not lead behind the creation. */
export const NEW_STATUS = "status_at = CASE WHEN :now > created_at THEN :now ELSE created_at END";

/** What can still be canceled is what has not ended; in the words of the partial indexes, which are used only so. */
export const UNFINISHED = allows("cancel");

/** What has ended, and does not change any more. */
export const ENDED = `state IN (${TERMINAL_STATES.map((state) => `'${state}'`).join(", ")})`;

export function toTask(row: TaskRow): Task {
  return {
    id: row.id,
    tenant: row.tenant,
    contextId: row.context_id,
    persona: row.persona,
    principal: row.principal,
    trigger: row.trigger_kind,
    state: row.state,
    waitingFor: row.waiting_for,
    askingChildId: row.asking_child_id,
    parentId: row.parent_id,
    rootId: row.root_id,
    hop: row.hop,
    turn: row.turn,
    attempt: row.attempt,
    seq: row.seq,
    retryOf: row.retry_of,
    runAt: row.run_at,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
