import type { Dispatch, DispatchResult, DispatchSend, DispatchState } from "../../peers/dispatch.js";

export interface DispatchRow {
  tenant: string;
  task_id: string;
  run_id: string;
  peer: string;
  plan_id: string;
  assignment_id: string;
  revision: number;
  pin_digest: string;
  state: DispatchState;
  remote_task_id: string | null;
  remote_context_id: string | null;
  remote_state: string | null;
  remote_state_at: number | null;
  remote_ended_at: number | null;
  local_ended_at: number | null;
  cancel_asked_at: number | null;
  cancel_answer: string | null;
  cancel_answered_at: number | null;
  stream_opened_at: number | null;
  stream_closed_at: number | null;
  stream_end: string | null;
  deadline_at: number | null;
  deadline_passed_at: number | null;
  holds_slot: number;
  result: string | null;
  last_contact_at: number | null;
  last_error: string | null;
  created_at: number;
  updated_at: number;
}

export const DISPATCH_COLUMNS = `tenant, task_id, run_id, peer, plan_id, assignment_id, revision, pin_digest, state,
  remote_task_id, remote_context_id, remote_state, remote_state_at, remote_ended_at, local_ended_at, cancel_asked_at,
  cancel_answer, cancel_answered_at, stream_opened_at, stream_closed_at, stream_end, deadline_at, deadline_passed_at,
  holds_slot, result, last_contact_at, last_error, created_at, updated_at`;

export interface SendRow {
  turn: number;
  message_id: string;
  body_digest: string;
  disclosed: string;
  state: DispatchSend["state"];
  error: string | null;
  intended_at: number;
  settled_at: number | null;
}

export const SEND_COLUMNS = "turn, message_id, body_digest, disclosed, state, error, intended_at, settled_at";

export function toDispatch(row: DispatchRow, sends: readonly SendRow[]): Dispatch {
  const { cancel_asked_at: askedAt, stream_opened_at: openedAt } = row;
  return {
    tenant: row.tenant,
    taskId: row.task_id,
    runId: row.run_id,
    peer: row.peer,
    planId: row.plan_id,
    assignmentId: row.assignment_id,
    revision: row.revision,
    pinDigest: row.pin_digest,
    state: row.state,
    remoteTaskId: row.remote_task_id,
    remoteContextId: row.remote_context_id,
    remote: at(row.remote_state_at, (at) => ({ state: row.remote_state ?? "", at })),
    facts: {
      remoteTerminal: at(row.remote_ended_at, (at) => ({ state: row.remote_state ?? "", at })),
      localCleanup: at(row.local_ended_at, (at) => ({ at })),
      cancelAcknowledgement: at(askedAt, (askedAt) => ({
        askedAt,
        answer: row.cancel_answer,
        answeredAt: row.cancel_answered_at,
      })),
      streamClosed: at(openedAt, (openedAt) => ({ openedAt, closedAt: row.stream_closed_at, end: row.stream_end })),
      localDeadline: at(row.deadline_at, (at) => ({ at, passedAt: row.deadline_passed_at })),
    },
    holdsSlot: row.holds_slot === 1,
    result: row.result === null ? null : (JSON.parse(row.result) as DispatchResult),
    lastContactAt: row.last_contact_at,
    lastError: row.last_error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    sends: sends.map(toSend),
  };
}

const at = <T>(time: number | null, fact: (time: number) => T): T | null => (time === null ? null : fact(time));

const toSend = (row: SendRow): DispatchSend => ({
  turn: row.turn,
  messageId: row.message_id,
  bodyDigest: row.body_digest,
  disclosed: JSON.parse(row.disclosed) as DispatchSend["disclosed"],
  state: row.state,
  error: row.error,
  intendedAt: row.intended_at,
  settledAt: row.settled_at,
});
