import type { ServerResponse } from "node:http";
import type { Admitted } from "../a2a/server/gate.js";
import type { OpenCalls } from "../a2a/server/open-calls.js";
import type { Ending } from "../shared/ending.js";

/** @returns what ends when nobody may or will read the answer any more */
export function openCall<Entry extends Admitted>(
  calls: OpenCalls<Entry>,
  response: ServerResponse,
  entry: Entry,
): Ending {
  const call = calls.open(entry);
  if (response.closed) call.abort();
  response.on("close", () => {
    calls.close(call);
    // Most answers have been written when their connection is done with them, and nobody listens any more.
    if (!response.writableFinished) call.abort();
  });
  return call;
}
