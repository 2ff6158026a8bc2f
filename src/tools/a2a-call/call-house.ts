import type { RemoteCredentials } from "../../access/credentials/remote-credentials.js";
import type { RateLimit } from "../../access/limits/rate-limit.js";
import type { Outbound } from "../../outbound/outbound.js";
import type { Clock } from "../../shared/clock.js";
import type { OutstandingCalls } from "./outstanding-calls.js";

/** What calls of agents outside are made with. */
export interface CallHouse {
  outbound(): Promise<Pick<Outbound, "fetch">>;
  credentials: Pick<RemoteCredentials, "find">;
  /** Plain http is let through. */
  development: boolean;
  limits: CallLimits;
  /** Of all personas of this process, over all configurations. */
  rate: Pick<RateLimit, "take">;
  outstanding: OutstandingCalls;
  clock: Clock;
  /** So long a call waits with a slot of the daemon in its hand: most short answers come within it. */
  inlineMs: number;
  /** What the operator has to see, and a persona must not: paths of files, and what is wrong with them. */
  onTrouble(error: unknown, facts: { taskId: string; doing: string }): void;
}

export interface CallLimits {
  maxHops: number;
  /** Delegations of one task, and as many calls. */
  maxChildrenPerTask: number;
  /** Of one persona: what ends a circle through an agent that does not pass the hop counter on. */
  maxCallsPerMinute: number;
}
