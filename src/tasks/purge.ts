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

/** Acts on the entries a few at a time; those that are left when `signal` aborts are left alone. */
export async function allAtOnce<Entry>(
  entries: readonly Entry[],
  signal: AbortSignal,
  act: (entry: Entry) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < entries.length && !signal.aborted; start += AT_ONCE) {
    await Promise.all(entries.slice(start, start + AT_ONCE).map(act));
  }
}
