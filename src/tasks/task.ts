import type { Artifact, Message } from "./message.js";
import type { TaskState, WaitReason } from "./task-state.js";

/** What started a task. */
export type Trigger = "a2a" | "cli" | "api" | "delegation" | "retry" | "plan";

/** One durable unit of work for one persona. */
export interface Task {
  id: string;
  tenant: string;
  contextId: string;
  /** Name of the persona that does the work. */
  persona: string;
  /** Subject of the principal that submitted it. */
  principal: string;
  trigger: Trigger;
  state: TaskState;
  waitingFor: WaitReason | null;
  /** The descendant whose question this task relays. */
  askingChildId: string | null;
  parentId: string | null;
  /** The outermost ancestor; the task itself when it has no parent. */
  rootId: string;
  /** How many delegations deep; 0 for a task from outside. */
  hop: number;
  /** How many messages of its caller the task has been given to work on. */
  turn: number;
  /** Attempts so far; 0 before the first claim. */
  attempt: number;
  /** Number of the last event. */
  seq: number;
  /** The dead letter that this task retries. */
  retryOf: string | null;
  /** Earliest start of the next attempt, ms. */
  runAt: number;
  inputTokens: number;
  outputTokens: number;
  createdAt: number;
  updatedAt: number;
}

/** A task with what was said and made, as it stood at event `seq`. */
export interface TaskSnapshot extends Task {
  /** Messages of the caller and superseded status messages, oldest first. */
  history: Message[];
  /** The message that the current turn works on: the last one that was not passed on to a descendant. */
  work: Message | null;
  /** The message of the current status, e.g. the reason of a failure or the question asked. */
  statusMessage: Message | null;
  /** An attempt has run: from here on the task is working for its caller, also while it is pending again. */
  started: boolean;
  /** Time of the current status, ms. */
  statusAt: number;
  artifacts: Artifact[];
}

/**
 * Tasks of one lane run strictly one after another: those of one persona in one context. A context belongs to one
 * principal, so another one that names the same context is in a lane of its own.
 */
export const laneOf = (task: { persona: string; principal: string; contextId: string }): string =>
  `${task.persona}/${task.principal}/${task.contextId}`;
