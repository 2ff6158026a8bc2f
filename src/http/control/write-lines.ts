import { once } from "node:events";
import type { ServerResponse } from "node:http";

/**
 * Writes values as lines of JSON. The next value is asked for only when the client has taken the last one, so that a
 * slow reader costs one line of memory.
 */
export async function writeLines(
  response: ServerResponse,
  lines: AsyncIterable<unknown>,
  signal: AbortSignal,
): Promise<void> {
  for await (const line of lines) {
    if (signal.aborted) return;
    if (!response.write(`${JSON.stringify(line)}\n`)) await drained(response, signal);
  }
}

async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  try {
    await once(response, "drain", { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
