import { NuncioError } from "../shared/errors.js";

export const TASK_STATES = [
  "pending",
  "claimed",
  "processing",
  "waiting",
  "completed",
  "failed",
  "rejected",
  "canceled",
] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** What a waiting task waits for: an answer, credentials, the operator, or the tasks that it delegated. */
export const WAIT_REASONS = ["input", "auth", "approval", "reply"] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

export const TERMINAL_STATES = ["completed", "failed", "rejected", "canceled"] as const;
export type TerminalState = (typeof TERMINAL_STATES)[number];
/** A worker owns the task under a lease. */
const RUNNING_STATES = ["claimed", "processing"] as const;

/**
 * Every transition that exists. The store's `UPDATE`s carry the states of `from` as their precondition; what is not
 * here cannot happen.
 */
export const TRANSITIONS = {
  /** A worker takes the task under a new lease. */
  claim: { from: ["pending"], to: "claimed" },
  /** The attempt begins to run. */
  start: { from: ["claimed"], to: "processing" },
  complete: { from: ["processing"], to: "completed" },
  /** Also for an attempt that never started: its worker died and no attempt is left. */
  fail: { from: ["claimed", "processing"], to: "failed" },
  reject: { from: ["processing"], to: "rejected" },
  /** The attempt ended without an outcome: failed with attempts left, its lease ran out, or it was handed back. */
  requeue: { from: ["claimed", "processing"], to: "pending" },
  /** The attempt ends and waits; nothing of it is kept in memory. */
  park: { from: ["processing"], to: "waiting" },
  /** What it waits for changes: a child that it awaits asks for input, or has got it. */
  relay: { from: ["waiting"], to: "waiting" },
  /** What it waited for has come, or its time is up. */
  wake: { from: ["waiting"], to: "pending" },
  cancel: { from: ["pending", "claimed", "processing", "waiting"], to: "canceled" },
} as const satisfies Record<string, { from: readonly TaskState[]; to: TaskState }>;

export type Transition = keyof typeof TRANSITIONS;

export const isTerminal = (state: TaskState): state is TerminalState =>
  (TERMINAL_STATES as readonly TaskState[]).includes(state);

export const isRunning = (state: TaskState): boolean => (RUNNING_STATES as readonly TaskState[]).includes(state);

/** The state after `transition`, or an error that says which states would have allowed it. */
export function next(state: TaskState, transition: Transition): TaskState {
  const rule = TRANSITIONS[transition];
  if (!(rule.from as readonly TaskState[]).includes(state)) {
    throw new NuncioError("failed_precondition", `a ${state} task cannot ${transition}`, {
      hint: `only a ${rule.from.join(" or ")} task can`,
      details: { state, transition },
    });
  }
  return rule.to;
}
