import type { Dispatch } from "../../peers/dispatch.js";
import type { RunOutcome } from "../../tasks/runner.js";

const FIRST_MS = 250;
const LONGEST_MS = 30_000;

/**
 * When a peer's task is looked at again. Each pause is a quarter of the time that has passed since the work was sent: that
 * backs off as doubling does, and needs no count that would have to survive a restart.
 */
export function lookAgainAt(sentAt: number, now: number, deadlineAt: number | null): number {
  const pause = Math.round(Math.min(LONGEST_MS, Math.max(FIRST_MS, (now - sentAt) / 4)));
  return now + (deadlineAt === null ? pause : Math.max(FIRST_MS, Math.min(pause, deadlineAt - now)));
}

/** Parked until then: no slot is kept, and nothing in memory. */
export const waiting = ({ sends, facts }: Dispatch, now: number): RunOutcome => ({
  type: "awaiting",
  taskIds: [],
  until: lookAgainAt(sends.at(-1)?.intendedAt ?? now, now, facts.localDeadline?.at ?? null),
});
