import type { IncomingMessage } from "node:http";
import { deviates, shown } from "../deviation.js";

export interface SseEvent {
  id?: string;
  event?: string;
  data: string;
}

/**
 * The events of a stream of Server-Sent Events, read as strictly as the format allows: fields that it knows, and a blank
 * line after each event, the last one included.
 */
export async function* readSse(message: IncomingMessage): AsyncGenerator<SseEvent, void> {
  const decoder = new TextDecoder("utf8", { fatal: true });
  let text = "";
  for await (const piece of message) {
    text += decoder.decode(piece as Buffer, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const event = readBlock(text.slice(0, end));
      text = text.slice(end + 2);
      if (event !== null) yield event;
    }
  }
  if (text !== "") deviates("stream", `ends within an event: ${shown(text)}`);
}

/** Null for what is only a comment. */
function readBlock(block: string): SseEvent | null {
  const event: SseEvent = { data: "" };
  const data: string[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith(":")) continue;
    const [, name = "", value = ""] =
      /^([a-z]+)(?:: ?(.*))?$/s.exec(line) ?? deviates("stream", `a line ${shown(line)}`);
    if (name === "data") data.push(value);
    else if (name === "id") event.id = value;
    else if (name === "event") event.event = value;
    else if (name !== "retry") deviates("stream", `a line ${shown(line)}`);
  }
  if (data.length === 0) return null;
  event.data = data.join("\n");
  return event;
}
