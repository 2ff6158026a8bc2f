import type { TaskLedger } from "../tasks/ledger.js";
import { textOf } from "../tasks/message.js";
import type { Logger } from "../telemetry/logger.js";

/** Whoever watches the daemon sees that a task failed and why, also when it is tried again. Returns how to stop. */
export function logFailures(ledger: TaskLedger, logger: Logger): () => void {
  return ledger.onChange(({ tenant, taskId, persona, events = [] }) => {
    for (const event of events) {
      if (event.type !== "status" || event.message === undefined) continue;
      if (event.state !== "failed" && event.state !== "pending") continue;
      const outcome = event.state === "failed" ? "failed" : "failed and is tried again";
      logger.warn({ tenant, taskId, persona }, `a task ${outcome}: ${textOf(event.message)}`);
    }
  });
}
