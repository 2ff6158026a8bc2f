import type { Artifact, Part } from "../../tasks/message.js";
import { invalidAnswer } from "./errors.js";
import type { RemoteAnswer, RemoteMessage, RemoteTask, RemoteUpdate } from "./remote-task.js";

/** Bytes of what a task has made, as far as it is kept here. */
const MAX_KEPT = 16 * 1024 * 1024;

/** What has become of a task, from the updates of its stream. Chunks of an artifact are put together. */
export class UpdateFold {
  #task: RemoteTask | null = null;
  #message: RemoteMessage | null = null;
  #kept = 0;

  /** @throws NuncioError AGENT_ANSWER_INVALID when it comes to more than is kept */
  apply(update: RemoteUpdate): void {
    if (update.type === "message") {
      this.#message = { message: update.message, taskId: update.taskId, contextId: update.contextId };
    } else if (update.type === "task") {
      this.#task = { ...update.task, artifacts: update.task.artifacts.map(copied) };
      this.#kept = 0;
      for (const { parts } of update.task.artifacts) this.#keep(parts);
    } else {
      const task = this.#of(update.taskId, update.contextId);
      if (update.type === "artifact") this.#made(task, update.artifact, update.append);
      else Object.assign(task, { state: update.state, statusMessage: update.message });
    }
  }

  /** Null while nothing has come. */
  get answer(): RemoteAnswer | null {
    if (this.#task !== null) return { type: "task", task: this.#task };
    return this.#message === null ? null : { type: "message", ...this.#message };
  }

  /** Agents of 0.3 may begin with an update. */
  #of(id: string, contextId: string | null): RemoteTask {
    if (this.#task !== null && this.#task.id !== id) throw invalidAnswer("its stream tells of two tasks");
    this.#task ??= {
      id,
      contextId,
      state: "TASK_STATE_SUBMITTED",
      statusMessage: null,
      artifacts: [],
      history: [],
    };
    return this.#task;
  }

  #made(task: RemoteTask, artifact: Artifact, append: boolean): void {
    this.#keep(artifact.parts);
    const at = task.artifacts.findIndex(({ artifactId }) => artifactId === artifact.artifactId);
    const known = task.artifacts[at];
    if (known === undefined) task.artifacts.push(copied(artifact));
    else if (append) for (const part of artifact.parts) appendPart(known.parts, part);
    else task.artifacts[at] = copied(artifact);
  }

  #keep(parts: readonly Part[]): void {
    for (const part of parts) this.#kept += 64 + ("text" in part ? part.text.length : JSON.stringify(part).length);
    if (this.#kept > MAX_KEPT) throw invalidAnswer(`what it has made is larger than ${MAX_KEPT} bytes`);
  }
}

const copied = (artifact: Artifact): Artifact => ({ ...artifact, parts: [...artifact.parts] });

/** A text that comes in pieces is one text. */
function appendPart(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (last !== undefined && isPlainText(last) && isPlainText(part)) {
    parts[parts.length - 1] = { text: last.text + part.text };
  } else parts.push(part);
}

const isPlainText = (part: Part): part is { text: string } => "text" in part && Object.keys(part).length === 1;
