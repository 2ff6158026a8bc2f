import type { Message, Part } from "../tasks/message.js";

/** How much of one attached part a prompt shows, in characters; the text of the message itself is not cut. */
const PART_LIMIT = 64 * 1024;

/**
 * What a message says, as text for a prompt: its text, then what is attached under labels. Text files and data are
 * shown, other files and links are only named; nothing is fetched.
 */
export function messageText(message: Pick<Message, "parts">): string {
  return message.parts.map(partText).join("\n\n");
}

function partText(part: Part): string {
  if ("text" in part) return part.filename === undefined ? part.text : labelled(`File ${nameOf(part)}`, part.text);
  if ("data" in part) return labelled(`Data${suffix(part)}`, JSON.stringify(part.data, null, 2));
  if ("url" in part) return `[Link${suffix(part)}, not opened: ${cut(part.url, 2048)}]`;
  const bytes = Buffer.from(part.raw, "base64");
  if (isTextual(part.mediaType)) return labelled(`File ${nameOf(part)}`, bytes.toString("utf8"));
  return `[File ${nameOf(part)}, ${bytes.length} bytes, not shown]`;
}

const labelled = (label: string, content: string): string => `[${label}]\n${cut(content, PART_LIMIT)}`;

const suffix = (part: Part): string =>
  part.filename === undefined && part.mediaType === undefined ? "" : ` ${nameOf(part)}`;

/** On one line, since it stands in a label. */
function nameOf(part: Part): string {
  const words = [part.filename ?? "without a name", part.mediaType === undefined ? "" : `(${part.mediaType})`];
  return cut(words.join(" ").trim().replace(/\s+/g, " "), 200);
}

const isTextual = (mediaType: string | undefined): boolean =>
  mediaType !== undefined && /^(text\/|application\/([\w.-]+\+)?(json|xml|yaml)\b)/i.test(mediaType);

/** Cut between characters, and said so. */
function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = /[\ud800-\udbff]$/.test(text.slice(0, limit)) ? limit - 1 : limit;
  return `${text.slice(0, end)}… [cut: ${text.length - end} more characters]`;
}
