import { newId } from "../../shared/ids.js";
import type { NewApproval } from "../../tasks/approval-ledger.js";
import { approvalMessage } from "../../tasks/approval-message.js";
import type { Run, RunOutcome } from "../../tasks/runner.js";
import type { ModelToolCall } from "./model-turn.js";
import type { CallResult } from "./transcript.js";

export type CalledTools = { results: CallResult[] } | { outcome: RunOutcome };

/**
 * Makes the tool calls of one answer, in its order; those that an earlier attempt has finished give their recorded
 * results. Either every call has its result, or the attempt ends here and a later one makes the same calls again.
 */
export async function callTools(run: Run, calls: readonly ModelToolCall[], signal: AbortSignal): Promise<CalledTools> {
  const results: CallResult[] = [];
  const awaited = new Set<string>();
  const requests: NewApproval[] = [];
  /** Some call has to wait: for tasks, or for a time when it has somebody outside to look after. */
  let waits = false;
  let until = Number.POSITIVE_INFINITY;
  for (const [at, call] of calls.entries()) {
    signal.throwIfAborted();
    if (call.malformed !== undefined) {
      results.push({ text: call.malformed, isError: true });
      continue;
    }
    const last = at === calls.length - 1 && !waits && requests.length === 0;
    const outcome = await run.tools.call(call.name, call.input, call.id, { last });
    switch (outcome.type) {
      case "result":
        results.push(outcome);
        break;
      case "wait":
        waits = true;
        for (const id of outcome.taskIds) awaited.add(id);
        until = Math.min(until, outcome.until);
        break;
      case "approval":
        requests.push(outcome.request);
        until = Math.min(until, outcome.until);
        break;
      case "parked":
        return { outcome };
      case "ask": {
        // The calls after it are made when the answer is there: one message answers one question.
        const { waitingFor, question } = outcome;
        const message = { messageId: newId(), role: "agent" as const, parts: [{ text: question }] };
        return { outcome: { type: "asked", waitingFor, message } };
      }
    }
  }
  const taskIds = [...awaited];
  if (requests.length > 0) {
    return { outcome: { type: "approval", requests, taskIds, until, message: approvalMessage(requests) } };
  }
  return waits ? { outcome: { type: "awaiting", taskIds, until } } : { results };
}
