import type { Message, Part } from "../tasks/message.js";
import { cutText } from "../tools/cut-text.js";

/** How much of one attached part a prompt shows, in bytes; the text of the message itself is not cut. */
const PART_BYTES = 64 * 1024;
const URL_BYTES = 2048;
const NAME_BYTES = 200;

/**
 * What a message says, as text for a prompt: its text, then what is attached under labels. Text files and data are
 * shown, other files and links are only named; nothing is fetched.
 */
export function messageText(message: Pick<Message, "parts">): string {
  return message.parts.map(partText).join("\n\n");
}

function partText(part: Part): string {
  if ("text" in part) return part.filename === undefined ? part.text : labeled(`File ${nameOf(part)}`, part.text);
  if ("data" in part) return labeled(`Data${ifNamed(part)}`, JSON.stringify(part.data, null, 2));
  if ("url" in part) return `[Link${ifNamed(part)}, not opened: ${bounded(onOneLine(part.url), URL_BYTES)}]`;
  const bytes = Buffer.from(part.raw, "base64");
  if (isTextual(part.mediaType)) return labeled(`File ${nameOf(part)}`, bytes.toString("utf8"));
  return `[File ${nameOf(part)}, ${bytes.length} bytes, not shown]`;
}

const labeled = (label: string, content: string): string => `[${label}]\n${bounded(content, PART_BYTES)}`;

const ifNamed = (part: Part): string =>
  part.filename === undefined && part.mediaType === undefined ? "" : ` ${nameOf(part)}`;

function nameOf({ filename, mediaType }: Part): string {
  const type = mediaType === undefined ? "" : ` (${mediaType})`;
  return bounded(onOneLine(`${filename ?? "without a name"}${type}`), NAME_BYTES);
}

/** It stands in a label. */
const onOneLine = (text: string): string => text.replace(/\s+/g, " ");

const isTextual = (mediaType: string | undefined): boolean =>
  mediaType !== undefined && /^(text\/|application\/([\w.-]+\+)?(json|xml|yaml)\b)/i.test(mediaType);

function bounded(text: string, maxBytes: number): string {
  const shown = cutText(text, maxBytes);
  return shown.length === text.length ? text : `${shown}… [cut after ${maxBytes} bytes]`;
}
