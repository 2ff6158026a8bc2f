import type { Artifact, Message } from "../../tasks/message.js";
import type { StateV1 } from "../protocol/states.js";

/** A state of which the agent has told us nothing that we know. */
export type RemoteState = StateV1 | "TASK_STATE_UNSPECIFIED";

/** A message of an agent, with what it says it belongs to. */
export interface RemoteMessage {
  message: Message;
  taskId: string | null;
  contextId: string | null;
}

/** A task as an agent tells of it, in whatever version. Nothing in it is believed: it was only checked for its shape. */
export interface RemoteTask {
  id: string;
  contextId: string | null;
  state: RemoteState;
  statusMessage: Message | null;
  artifacts: Artifact[];
  history: Message[];
}

/** What sending a message has brought (A2A 1.0, 3.1.1). */
export type RemoteAnswer = { type: "task"; task: RemoteTask } | ({ type: "message" } & RemoteMessage);

/** One event of a stream (A2A 1.0, 3.2.3). */
export type RemoteUpdate =
  | RemoteAnswer
  | {
      type: "status";
      taskId: string;
      contextId: string | null;
      state: RemoteState;
      message: Message | null;
      /** 0.3 says so itself. */
      final: boolean;
    }
  | {
      type: "artifact";
      taskId: string;
      contextId: string | null;
      artifact: Artifact;
      append: boolean;
      lastChunk: boolean;
    };

/** It will never change again. */
export const hasEnded = (state: RemoteState): boolean => ENDED.has(state);

/** It has ended, or waits for whoever asked: streams close there, and blocking calls answer (A2A 1.0, 3.1.2, 3.2.2). */
export const isSettled = (state: RemoteState): boolean => ENDED.has(state) || INTERRUPTED.has(state);

const ENDED: ReadonlySet<RemoteState> = new Set<RemoteState>([
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_REJECTED",
]);

const INTERRUPTED: ReadonlySet<RemoteState> = new Set<RemoteState>([
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_AUTH_REQUIRED",
]);

/** `TASK_STATE_INPUT_REQUIRED` as people say it: `input required`. */
export const stateWords = (state: string): string =>
  state.replace("TASK_STATE_", "").toLowerCase().replaceAll("_", " ");
