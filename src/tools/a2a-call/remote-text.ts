import type { RemoteTask } from "../../a2a/client/remote-task.js";
import type { Part } from "../../tasks/message.js";
import { cutText } from "../cut-text.js";
import { partText } from "../reply-text.js";

/** As much of an answer as comes back (docs/a2a.md). */
const REPLY_BYTES = 16 * 1024;

export interface RemoteText {
  text: string;
  /** Said when not all of it is there. */
  cut?: string;
}

/** What a task of an agent outside has made; its closing message where it made nothing. */
export const madeText = ({ artifacts, statusMessage }: Pick<RemoteTask, "artifacts" | "statusMessage">): string => {
  const made = artifacts.map(({ parts }) => textOfParts(parts)).filter((text) => text !== "");
  return made.length > 0 ? made.join("\n") : textOfParts(statusMessage?.parts ?? []);
};

/** Chunks of an artifact are pieces of one text, also where they are kept as parts. */
export function textOfParts(parts: readonly Part[]): string {
  let text = "";
  let before: Part | undefined;
  for (const part of parts) {
    if (before !== undefined && !("text" in before && "text" in part)) text += "\n";
    text += partText(part);
    before = part;
  }
  return text;
}

/**
 * At most 16 KiB, cut on the border of a character. What we showed the agent so that it knows us does not come back from
 * it: it would be in results, journals and prompts.
 */
export function received(text: string, secrets: readonly string[]): RemoteText {
  let clean = text;
  for (const secret of secrets) for (const form of formsOf(secret)) clean = clean.replaceAll(form, "[…]");
  const shown = cutText(clean, REPLY_BYTES);
  if (shown.length === clean.length) return { text: clean };
  return { text: shown, cut: `the first ${Buffer.byteLength(shown)} of ${Buffer.byteLength(clean)} bytes` };
}

/** As it is, and as it stands in JSON, which errors and data are shown in, and in a URL. */
const formsOf = (secret: string): readonly string[] =>
  secret === "" ? [] : [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])];
