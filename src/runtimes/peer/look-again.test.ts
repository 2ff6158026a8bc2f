import { expect, it } from "vitest";
import { lookAgainAt } from "./look-again.js";

const MINUTE = 60_000;

it.for<[since: number, deadlineIn: number | null, pause: number]>([
  [0, null, 250],
  [4000, null, 1000],
  [MINUTE, null, 15_000],
  [24 * 60 * MINUTE, null, 30_000],
  // A clock that was set back.
  [-MINUTE, null, 250],
  [MINUTE, 5000, 5000],
  [MINUTE, -1, 250],
])("P15 after %i ms, with %s ms left, a peer is looked at again in %i ms", ([since, deadlineIn, pause]) => {
  const now = 1_800_000_000_000;
  expect(lookAgainAt(now - since, now, deadlineIn === null ? null : now + deadlineIn) - now).toBe(pause);
});
