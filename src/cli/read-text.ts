import { invalidArgument } from "../shared/errors.js";

const MAX_BYTES = 1024 * 1024;

/** The text of an argument; `-` stands for standard input, of which no more than 1 MiB is read. */
export async function readText(argument: string): Promise<string> {
  if (argument !== "-") return argument;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw invalidArgument("text", `standard input is longer than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
