import { milliseconds, object, wholeNumber } from "../fields.js";

export const queue = object({
  /** Slots in this process. */
  concurrency: wholeNumber(1, 1000).default(5),
  leaseMs: milliseconds(100, 3_600_000).default(30_000),
  backoffBaseMs: milliseconds(0).default(1000),
  backoffMaxMs: milliseconds(0).default(60_000),
  /** How long running attempts get to end by themselves at a shutdown, before they are handed back. */
  drainMs: milliseconds(0).default(10_000),
  /** Child processes of command runs, waiting ones included. */
  maxProcesses: wholeNumber(1, 1000).default(16),
  maxPendingPerPersona: wholeNumber(1, 10_000_000).default(10_000),
  maxPendingPerTenant: wholeNumber(1, 10_000_000).default(100_000),
});
