import type { AttemptRecord, Lease, Submit, Submitted } from "./ledger.js";
import type { Run, ToolBox } from "./runner.js";

/**
 * A run with what host tools need of it beyond a runner's view: who it is, and the way to submit a child in one
 * transaction with everything that the run has buffered.
 */
export interface Attempt extends Run {
  readonly lease: Lease;
  /** Everything buffered so far, taken out of the buffer: whoever takes it must record it. */
  takeRecord(): AttemptRecord;
  /**
   * Submits a delegated child on behalf of this attempt, together with the buffer. With `park` the attempt ends parked
   * unless the child has ended already.
   */
  delegate(child: NewChild): Promise<Submitted>;
}

export interface NewChild
  extends Pick<Submit, "contextId" | "persona" | "principal" | "message" | "bodyHash" | "maxAttempts" | "bounds"> {
  /** Derived from the recorded step. */
  id: string;
  guards: DelegationGuards;
  /** The parent waits for the child: one that needs no time of its own is done in the same transaction. */
  awaited: boolean;
  park?: { until: number };
}

export interface DelegationGuards {
  maxConcurrentPerTarget: number;
  maxChildrenPerTask: number;
  maxTasksPerRoot: number;
  maxTokensPerRoot: number;
}

/** Makes the tools of one attempt; called when the run first asks for them. */
export type ToolBoxFactory = (attempt: Attempt) => ToolBox;
