import { isTerminal } from "../tasks/task-state.js";
import type { Assignment } from "./assignment.js";

/** The steps that have a completed run. */
export function stepsDone(assignments: readonly Assignment[]): Set<string> {
  const done = assignments.filter(({ runs }) => runs.some(({ state }) => state === "completed"));
  return new Set(done.map(({ step }) => step));
}

/** The task of a run that has not ended; null when all have. One that was purged has. */
export function unfinishedRun({ runs }: Pick<Assignment, "runs">): string | null {
  return runs.find(({ state }) => state !== null && !isTerminal(state))?.childId ?? null;
}
