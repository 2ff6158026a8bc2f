import type { Artifact, Message } from "../../../tasks/message.js";
import type { TaskSnapshot } from "../../../tasks/task.js";
import { isoTime } from "../encode-time.js";
import { recentHistory } from "../history.js";
import { type StateFacts, stateV03 } from "../states.js";
import type { TaskIds } from "../v1/tasks.js";
import { writeMessage } from "./messages.js";
import { writePart } from "./parts.js";

/** A2A 0.3, 6.1: every object says of which kind it is. */
export function writeTask(task: TaskSnapshot, historyLength: number | undefined): object {
  const history = recentHistory(task.history, historyLength);
  return {
    kind: "task",
    id: task.id,
    contextId: task.contextId,
    status: writeStatus(task, task.statusMessage, task.statusAt, task),
    ...(task.artifacts.length === 0 ? {} : { artifacts: task.artifacts.map(writeArtifact) }),
    ...(history.length === 0 ? {} : { history: history.map((said) => writeMessage(said, task.contextId, task.id)) }),
  };
}

/** @param final whether this is the last event of the stream */
export const writeStatusUpdate = (
  ids: TaskIds,
  facts: StateFacts,
  message: Message | null,
  at: number,
  final: boolean,
): object => ({
  kind: "status-update",
  taskId: ids.id,
  contextId: ids.contextId,
  status: writeStatus(facts, message, at, ids),
  final,
});

export const writeArtifactUpdate = (ids: TaskIds, artifact: Artifact, append: boolean, lastChunk: boolean): object => ({
  kind: "artifact-update",
  taskId: ids.id,
  contextId: ids.contextId,
  artifact: writeArtifact(artifact),
  append,
  lastChunk,
});

const writeStatus = (facts: StateFacts, message: Message | null, at: number, ids: TaskIds): object => ({
  state: stateV03(facts),
  ...(message === null ? {} : { message: writeMessage(message, ids.contextId, ids.id) }),
  timestamp: isoTime(at),
});

const writeArtifact = (artifact: Artifact): object => ({ ...artifact, parts: artifact.parts.map(writePart) });
