import { TASK_STATES, type TaskState, WAIT_REASONS, type WaitReason } from "../../tasks/task-state.js";

/** A2A 1.0, 4.1.3: the states that a task of ours can be in for its caller. */
export type StateV1 =
  | "TASK_STATE_SUBMITTED"
  | "TASK_STATE_WORKING"
  | "TASK_STATE_INPUT_REQUIRED"
  | "TASK_STATE_AUTH_REQUIRED"
  | "TASK_STATE_COMPLETED"
  | "TASK_STATE_FAILED"
  | "TASK_STATE_CANCELED"
  | "TASK_STATE_REJECTED";

/** A2A 0.3, 6.3. */
export type StateV03 =
  | "submitted"
  | "working"
  | "input-required"
  | "auth-required"
  | "completed"
  | "failed"
  | "canceled"
  | "rejected";

const BY_STATE: Record<Exclude<TaskState, "pending" | "claimed" | "waiting">, StateV1> = {
  processing: "TASK_STATE_WORKING",
  completed: "TASK_STATE_COMPLETED",
  failed: "TASK_STATE_FAILED",
  canceled: "TASK_STATE_CANCELED",
  rejected: "TASK_STATE_REJECTED",
};

const BY_WAIT_REASON: Record<WaitReason, StateV1> = {
  input: "TASK_STATE_INPUT_REQUIRED",
  auth: "TASK_STATE_AUTH_REQUIRED",
  // What the caller cannot help with is the agent's own work.
  approval: "TASK_STATE_WORKING",
  reply: "TASK_STATE_WORKING",
};

const V03_BY_V1: Record<StateV1, StateV03> = {
  TASK_STATE_SUBMITTED: "submitted",
  TASK_STATE_WORKING: "working",
  TASK_STATE_INPUT_REQUIRED: "input-required",
  TASK_STATE_AUTH_REQUIRED: "auth-required",
  TASK_STATE_COMPLETED: "completed",
  TASK_STATE_FAILED: "failed",
  TASK_STATE_CANCELED: "canceled",
  TASK_STATE_REJECTED: "rejected",
};

/** What the state of a task depends on for its caller; `started` says that an attempt has run. */
export interface StateFacts {
  state: TaskState;
  waitingFor: WaitReason | null;
  started: boolean;
}

export function stateV1(task: StateFacts): StateV1 {
  switch (task.state) {
    case "pending":
    case "claimed":
      return task.started ? "TASK_STATE_WORKING" : "TASK_STATE_SUBMITTED";
    case "waiting":
      return task.waitingFor === null ? "TASK_STATE_WORKING" : BY_WAIT_REASON[task.waitingFor];
    default:
      return BY_STATE[task.state];
  }
}

export const stateV03 = (task: StateFacts): StateV03 => V03_BY_V1[stateV1(task)];

/** All states of 1.0 that a task of ours can be in. */
export const STATES_V1 = Object.keys(V03_BY_V1) as StateV1[];

/** Undefined when it is none of those that 1.0 has. */
export const readStateV1 = (value: unknown): StateV1 | undefined => STATES_V1.find((state) => state === value);

/** What 0.3 spells so, as 1.0 does. */
export const readStateV03 = (value: unknown): StateV1 | undefined =>
  STATES_V1.find((state) => V03_BY_V1[state] === value);

/** Every way in which a task can stand that its caller is shown as this state: `stateV1`, the other way round. */
export const standingsOf = (state: StateV1): StateFacts[] =>
  STANDINGS.filter((standing) => stateV1(standing) === state);

const STANDINGS: StateFacts[] = TASK_STATES.flatMap((state) =>
  (state === "waiting" ? WAIT_REASONS : [null]).flatMap((waitingFor) =>
    [false, true].map((started) => ({ state, waitingFor, started })),
  ),
);
