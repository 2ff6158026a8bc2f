import { StringDecoder } from "node:string_decoder";
import { DaemonGoneError } from "./errors.js";

/** Values of a stream of JSON lines. A stream that ends within a line, or is cut off, is an error and not an end. */
export async function* readLines(stream: AsyncIterable<Buffer>): AsyncGenerator<unknown, void> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  try {
    for await (const chunk of stream) {
      const lines = (rest + decoder.write(chunk)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") yield JSON.parse(line);
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "ECONNRESET" && code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
    throw new DaemonGoneError(error);
  }
  if (rest !== "") throw new DaemonGoneError();
}
