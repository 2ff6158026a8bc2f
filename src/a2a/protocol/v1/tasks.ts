import { quoted } from "../../../shared/quoted.js";
import type { Artifact, Message } from "../../../tasks/message.js";
import type { TaskSnapshot } from "../../../tasks/task.js";
import { isoTime } from "../encode-time.js";
import { recentHistory } from "../history.js";
import { list, optional } from "../json-text.js";
import { type StateFacts, stateV1 } from "../states.js";
import { writeMessage } from "./messages.js";
import { writePart } from "./parts.js";

/**
 * A task in the canonical ProtoJSON of A2A 1.0 (4.1.1), as JSON text: empty fields are left out, unless the caller of a
 * list has asked for the artifacts (3.1.4).
 */
export function writeTask(task: TaskSnapshot, historyLength: number | undefined, emptyArtifacts = false): string {
  const history = recentHistory(task.history, historyLength);
  const status = writeStatus(task, task.statusMessage, task.statusAt, task);
  let text = `{"id":${quoted(task.id)},"contextId":${quoted(task.contextId)},"status":${status}`;
  if (task.artifacts.length > 0 || emptyArtifacts) text += `,"artifacts":${list(task.artifacts, writeArtifact)}`;
  if (history.length > 0) {
    text += `,"history":${list(history, (said) => writeMessage(said, task.contextId, task.id))}`;
  }
  return `${text}}`;
}

/** The ids that every update of a task carries. */
export interface TaskIds {
  id: string;
  contextId: string;
}

export const writeStatusUpdate = (ids: TaskIds, facts: StateFacts, message: Message | null, at: number): string =>
  `{${taskAndContext(ids)},"status":${writeStatus(facts, message, at, ids)}}`;

export const writeArtifactUpdate = (ids: TaskIds, artifact: Artifact, append: boolean, lastChunk: boolean): string =>
  `{${taskAndContext(ids)},"artifact":${writeArtifact(artifact)}` +
  `${append ? ',"append":true' : ""}${lastChunk ? ',"lastChunk":true' : ""}}`;

const taskAndContext = ({ id, contextId }: TaskIds): string =>
  `"taskId":${quoted(id)},"contextId":${quoted(contextId)}`;

function writeStatus(facts: StateFacts, message: Message | null, at: number, ids: TaskIds): string {
  const said = message === null ? "" : `,"message":${writeMessage(message, ids.contextId, ids.id)}`;
  return `{"state":"${stateV1(facts)}"${said},"timestamp":"${isoTime(at)}"}`;
}

const writeArtifact = ({ artifactId, name, description, parts, metadata, extensions }: Artifact): string =>
  `{"artifactId":${quoted(artifactId)}${optional("name", name)}${optional("description", description)}` +
  `,"parts":${list(parts, writePart)}${optional("metadata", metadata)}${optional("extensions", extensions)}}`;
