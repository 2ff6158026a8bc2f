import type { Artifact, Message } from "../../../tasks/message.js";
import type { TaskSnapshot } from "../../../tasks/task.js";
import { isoTime } from "../encode-time.js";
import { recentHistory } from "../history.js";
import { type StateFacts, stateV1 } from "../states.js";
import { writeMessage } from "./messages.js";

/** A task in the canonical ProtoJSON of A2A 1.0 (4.1.1): empty fields are left out. */
export function writeTask(task: TaskSnapshot, historyLength: number | undefined): object {
  const history = recentHistory(task.history, historyLength);
  return {
    id: task.id,
    contextId: task.contextId,
    status: writeStatus(task, task.statusMessage, task.statusAt, task),
    ...(task.artifacts.length === 0 ? {} : { artifacts: task.artifacts }),
    ...(history.length === 0 ? {} : { history: history.map((said) => writeMessage(said, task.contextId, task.id)) }),
  };
}

/** The ids that every update of a task carries. */
export interface TaskIds {
  id: string;
  contextId: string;
}

export const writeStatusUpdate = (ids: TaskIds, facts: StateFacts, message: Message | null, at: number): object => ({
  taskId: ids.id,
  contextId: ids.contextId,
  status: writeStatus(facts, message, at, ids),
});

export const writeArtifactUpdate = (ids: TaskIds, artifact: Artifact, append: boolean, lastChunk: boolean): object => ({
  taskId: ids.id,
  contextId: ids.contextId,
  artifact,
  ...(append ? { append } : {}),
  ...(lastChunk ? { lastChunk } : {}),
});

const writeStatus = (facts: StateFacts, message: Message | null, at: number, ids: TaskIds): object => ({
  state: stateV1(facts),
  ...(message === null ? {} : { message: writeMessage(message, ids.contextId, ids.id) }),
  timestamp: isoTime(at),
});
