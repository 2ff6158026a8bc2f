import { invalidAnswer } from "../errors.js";

/**
 * The data of each event of a stream (HTML, "Server-sent events", 9.2.6): lines end with LF, CR or CRLF, wherever the
 * chunks are cut; comments and fields that nobody asked for are left out, and so is an event that has not ended.
 *
 * @param maxLength characters of one event
 */
export async function* eventsOf(body: ReadableStream<Uint8Array>, maxLength: number): AsyncGenerator<string, void> {
  const lines = new Lines(maxLength);
  const decoder = new TextDecoder();
  let data: string[] = [];
  let length = 0;
  for await (const chunk of body) {
    for (const line of lines.take(decoder.decode(chunk, { stream: true }))) {
      if (line === "") {
        if (data.length > 0) yield data.join("\n");
        data = [];
        length = 0;
        continue;
      }
      const value = dataIn(line);
      if (value === undefined) continue;
      data.push(value);
      length += value.length + 1;
      if (length > maxLength) throw tooLong(maxLength);
    }
  }
}

function dataIn(line: string): string | undefined {
  if (line === "data") return "";
  if (!line.startsWith("data:")) return undefined;
  return line.startsWith("data: ") ? line.slice(6) : line.slice(5);
}

/** Cuts text into lines as it comes. */
class Lines {
  readonly #maxLength: number;
  #rest = "";
  /** The last chunk ended with CR: an LF that follows belongs to it. */
  #afterCr = false;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  take(text: string): string[] {
    const chunk = this.#afterCr && text.startsWith("\n") ? text.slice(1) : text;
    if (text !== "") this.#afterCr = text.endsWith("\r");
    const lines = chunk.split(/\r\n|\n|\r/);
    lines[0] = this.#rest + lines[0];
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > this.#maxLength) throw tooLong(this.#maxLength);
    return lines;
  }
}

const tooLong = (maxLength: number) => invalidAnswer(`an event of the stream is longer than ${maxLength} characters`);
