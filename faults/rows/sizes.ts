/** How much of everything: the figures that are published need the defaults, a quick look less. */
export interface Sizes {
  seed: number;
  delegations: number;
  kills: number;
  /** Of each kind, in R3. */
  outages: number;
  /** How long runs go on that R3 wants to find again. */
  runMs: number;
  /** Times that a node is stopped, in R2, and that a clock is set. */
  rounds: number;
  /** Of a node on PostgreSQL. A busy machine must be able to extend leases in time. */
  leaseMs: number;
  /** Clients at a time. */
  callers: number;
  /** Nothing has moved for this long: then what is left is stuck. */
  patienceMs: number;
}

export const FULL: Omit<Sizes, "seed"> = {
  delegations: 10_000,
  kills: 50,
  outages: 4,
  runMs: 15_000,
  rounds: 20,
  leaseMs: 10_000,
  callers: 96,
  patienceMs: 90_000,
};
