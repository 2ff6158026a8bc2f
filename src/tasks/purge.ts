import type { TaskLedger } from "./ledger.js";
import type { Purged, PurgeTree } from "./retention-ledger.js";

/** So many go side by side: they share a commit where there is one writer, and leave connections to others elsewhere. */
const AT_ONCE = 5;

/** Takes a tree out of the ledger, however large it is. */
export async function purgeTree(ledger: TaskLedger, command: PurgeTree): Promise<Exclude<Purged, { type: "more" }>> {
  for (;;) {
    const purged = await ledger.system.retention.purgeTree(command);
    if (purged.type !== "more") return purged;
  }
}

/** The entries in groups of those that may go at once. */
export function* groupsOf<Entry>(entries: readonly Entry[]): Generator<Entry[]> {
  for (let start = 0; start < entries.length; start += AT_ONCE) yield entries.slice(start, start + AT_ONCE);
}
