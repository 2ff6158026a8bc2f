import type { Artifact, Message } from "./message.js";
import type { TaskState, WaitReason } from "./task-state.js";

/**
 * A fact about a task. Facts are appended, numbered from 1 without gaps per task, and never change. The version of
 * this format is `EVENT_FORMAT`; a reader refuses a newer one.
 */
export const EVENT_FORMAT = 1;

export type TaskFact =
  /**
   * A message from the caller: the first event of every task, and every follow-up. One with `forwardedTo` answered the
   * question of that descendant, so it is in the history here and in the work there.
   */
  | { type: "message"; message: Message; forwardedTo?: string }
  /** The state changed, or the run said something about its work. */
  | {
      type: "status";
      state: TaskState;
      waitingFor?: WaitReason;
      /** The descendant whose question this is, when the task relays one. */
      childId?: string;
      message?: Message;
    }
  /** An artifact, or a piece of one. `append: false` replaces what the artifact held before. */
  | { type: "artifact"; artifact: Artifact; append: boolean; lastChunk: boolean };

export type TaskEvent = TaskFact & {
  seq: number;
  /** Milliseconds since the epoch. */
  at: number;
};
