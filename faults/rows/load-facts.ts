import type { LedgerFacts } from "../ledger/ledger-facts.js";
import type { Effects } from "../load/effects.js";
import type { LoadCounts } from "../load/load.js";
import type { KillCounts } from "../nodes/kills.js";
import type { Row } from "../report.js";

/** What a load did, in the words of the table. */
export function loadFacts(
  counts: LoadCounts,
  effects: ReturnType<Effects["counts"]>,
  kills: KillCounts,
  { tasks }: LedgerFacts,
): string[] {
  const takenOver = [...tasks.values()].reduce((sum, task) => sum + task.takenOver, 0);
  const moments = Object.entries(kills).filter(([, count]) => count > 0);
  return [
    `${counts.acknowledged.toLocaleString("en")} messages acknowledged`,
    ...(moments.length > 0 ? [`kills at ${moments.map(([moment, count]) => `${moment}: ${count}`).join(", ")}`] : []),
    `${effects.modelRequests} model requests (${effects.repeatedModelRequests} repeated)`,
    `${effects.programRuns} program runs (${effects.repeatedProgramRuns} repeated)`,
    `${takenOver.toLocaleString("en")} attempts interrupted`,
    `${counts.refusals} times told to try again later`,
  ];
}

/** Faults that the clients have injected. Each must have happened at least a few times to prove anything. */
export const injectedBy = (counts: LoadCounts, delegated: number, promised: number): Row["injected"] => {
  const share = Math.floor(promised / 100);
  return [
    { name: "delegations", count: delegated, promised },
    { name: "duplicate sends", count: counts.duplicates, promised: share },
    { name: "conflicting sends", count: counts.conflicts, promised: Math.floor(share / 5) },
    { name: "connections cut by the client", count: counts.cuts, promised: share },
    { name: "streams resumed", count: counts.streamsResumed, promised: share },
  ];
};
