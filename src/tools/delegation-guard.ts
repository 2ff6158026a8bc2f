import { NuncioError } from "../shared/errors.js";
import type { DelegationGuards } from "../tasks/attempt.js";
import type { QueueBounds } from "../tasks/ledger.js";

/** The limits of delegation that the operator sets (`a2a:` in the configuration). */
export interface DelegationLimits extends DelegationGuards {
  maxHops: number;
  /** Of the queue that a delegated task comes into. */
  bounds?: QueueBounds;
  /** Attempts of each delegated task in all, the first included. */
  maxAttempts: number;
}

/**
 * Refuses a delegation beyond `maxHops`. A task from outside has hop 0, so that exactly `maxHops` delegations deep
 * pass. The other guards count tasks, and are checked in the transaction that submits the child.
 */
export function checkHops(parentHop: number, maxHops: number): void {
  if (parentHop < maxHops) return;
  throw new NuncioError(
    "limit_reached",
    `this task is ${parentHop} delegations deep already; the limit is ${maxHops} (a2a.maxHops)`,
    {
      reason: "maxHops",
      hint: "do the work yourself, or report what you have to your caller",
      details: { hop: parentHop, maxHops },
    },
  );
}
