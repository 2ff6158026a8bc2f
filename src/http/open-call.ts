import type { ServerResponse } from "node:http";
import type { OpenCalls } from "../a2a/server/open-calls.js";
import type { AgentName } from "../access/agent-name.js";
import type { Authenticated } from "../access/authenticate.js";
import type { Ending } from "../shared/ending.js";

/** @returns what ends when nobody may or will read the answer any more */
export function openCall(
  calls: OpenCalls,
  response: ServerResponse,
  agent: AgentName,
  authentication: Authenticated,
): Ending {
  const call = calls.open(agent, authentication);
  if (response.closed) call.abort();
  response.on("close", () => {
    calls.close(call);
    // Most answers have been written when their connection is done with them, and nobody listens any more.
    if (!response.writableFinished) call.abort();
  });
  return call;
}
