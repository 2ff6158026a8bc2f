import type { Part } from "../tasks/message.js";
import type { TaskSnapshot } from "../tasks/task.js";
import { cutText } from "./cut-text.js";

const MAX_BYTES = 1024 * 1024;

/**
 * What a task answered, as one text of at most 1 MiB: its artifacts in order, or its closing message when it made
 * none. Data is written as JSON; files are named, not inlined.
 */
export function replyText(task: Pick<TaskSnapshot, "artifacts" | "statusMessage">): string {
  const parts = task.artifacts.flatMap((artifact) => artifact.parts);
  return cutText((parts.length > 0 ? parts : (task.statusMessage?.parts ?? [])).map(partText).join("\n"), MAX_BYTES);
}

/** Data is written as JSON; files are named, not inlined. */
export function partText(part: Part): string {
  if ("text" in part) return part.text;
  if ("data" in part) return JSON.stringify(part.data);
  const name = part.filename ?? ("url" in part ? part.url : "without a name");
  return `[file ${name}${part.mediaType === undefined ? "" : `, ${part.mediaType}`}]`;
}
