import type { Artifact, Part } from "./message.js";
import type { Task, TaskSnapshot } from "./task.js";
import type { TaskEvent } from "./task-event.js";

/** What events build up: the part of a snapshot that is not in the task's row. */
export type Folded = Pick<
  TaskSnapshot,
  | "state"
  | "waitingFor"
  | "askingChildId"
  | "seq"
  | "updatedAt"
  | "history"
  | "work"
  | "statusMessage"
  | "statusAt"
  | "started"
  | "artifacts"
>;

export const emptyFold = (): Folded => ({
  state: "pending",
  waitingFor: null,
  askingChildId: null,
  seq: 0,
  updatedAt: 0,
  history: [],
  work: null,
  statusMessage: null,
  statusAt: 0,
  started: false,
  artifacts: [],
});

/**
 * Applies one event, in place. The task as it stood at event n is the fold of events 1 to n, in this process, in
 * another, and after a restart.
 */
export function applyEvent(folded: Folded, event: TaskEvent): void {
  if (event.seq <= folded.seq) return;
  if (event.seq !== folded.seq + 1) throw new Error(`event ${event.seq} after ${folded.seq}: a gap`);
  folded.seq = event.seq;
  folded.updatedAt = event.at;
  switch (event.type) {
    case "message":
      if (folded.statusMessage !== null) {
        folded.history.push(folded.statusMessage);
        folded.statusMessage = null;
      }
      folded.history.push(event.message);
      if (event.forwardedTo === undefined) folded.work = event.message;
      if (folded.statusAt === 0) folded.statusAt = event.at;
      return;
    case "status":
      if (folded.statusMessage !== null) folded.history.push(folded.statusMessage);
      folded.state = event.state;
      folded.waitingFor = event.waitingFor ?? null;
      folded.askingChildId = event.childId ?? null;
      folded.statusMessage = event.message ?? null;
      folded.statusAt = event.at;
      if (event.state === "processing") folded.started = true;
      return;
    case "artifact":
      foldArtifact(folded.artifacts, event.artifact, event.append);
      return;
  }
}

export function foldArtifact(artifacts: Artifact[], piece: Artifact, append: boolean): void {
  const at = artifacts.findIndex((a) => a.artifactId === piece.artifactId);
  const known = artifacts[at];
  if (known === undefined) {
    artifacts.push({ ...piece, parts: [...piece.parts] });
  } else if (append) {
    for (const part of piece.parts) appendPart(known.parts, part);
  } else {
    artifacts[at] = { ...piece, parts: [...piece.parts] };
  }
}

/** Streamed text grows one text part, so that a result reads as one text whatever its chunks were. */
function appendPart(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (last !== undefined && isBareText(last) && isBareText(part))
    parts[parts.length - 1] = { text: last.text + part.text };
  else parts.push(part);
}

const isBareText = (part: Part): part is { text: string } => "text" in part && Object.keys(part).length === 1;

/** Written out field by field: two spreads of this size took 12 µs of a request. */
export function snapshotOf(task: Task, folded: Folded): TaskSnapshot {
  return {
    id: task.id,
    tenant: task.tenant,
    contextId: task.contextId,
    persona: task.persona,
    principal: task.principal,
    trigger: task.trigger,
    state: folded.state,
    waitingFor: folded.waitingFor,
    askingChildId: folded.askingChildId,
    parentId: task.parentId,
    rootId: task.rootId,
    hop: task.hop,
    turn: task.turn,
    attempt: task.attempt,
    seq: folded.seq,
    retryOf: task.retryOf,
    runAt: task.runAt,
    inputTokens: task.inputTokens,
    outputTokens: task.outputTokens,
    createdAt: task.createdAt,
    updatedAt: folded.updatedAt,
    history: folded.history,
    work: folded.work,
    statusMessage: folded.statusMessage,
    statusAt: folded.statusAt,
    started: folded.started,
    artifacts: folded.artifacts,
  };
}
