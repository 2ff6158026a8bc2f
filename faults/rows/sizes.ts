/** How much of everything: the figures that are published need the defaults, a quick look less. */
export interface Sizes {
  seed: number;
  delegations: number;
  kills: number;
  /** Of each kind, in R3. */
  outages: number;
  /** Clients at a time. */
  callers: number;
  /** Nothing has moved for this long: then what is left is stuck. */
  patienceMs: number;
}

export const FULL: Omit<Sizes, "seed"> = {
  delegations: 10_000,
  kills: 50,
  outages: 4,
  callers: 96,
  patienceMs: 90_000,
};
