import { expect } from "vitest";
import type { Row } from "../../faults/report.js";
import { FULL, type Sizes } from "../../faults/rows/sizes.js";

/** Of starting daemons many times on a machine that does other things as well. */
export const TIMEOUT_MS = 300_000;

/** A little of everything that `npm run faults` does at length. */
export function shortSizes(): Sizes {
  const seed = Number(process.env.NUNCIO_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`seed ${seed}: NUNCIO_TEST_SEED=${seed} repeats the moments`);
  return {
    ...FULL,
    seed,
    delegations: 200,
    kills: 8,
    outages: 2,
    runMs: 3000,
    rounds: 4,
    leaseMs: 4000,
    callers: 32,
  };
}

/** All that was promised was done to the daemons, and nothing came of it. */
export function expectNoHarm({ findings, injected }: Row): void {
  expect(findings).toEqual([]);
  expect(injected.filter(({ count, promised }) => count < promised)).toEqual([]);
}
