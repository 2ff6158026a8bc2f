import { setTimeout as sleep } from "node:timers/promises";
import { members, type ProcessRoot } from "./members.js";
import { type ProcessEntry, processTable } from "./process-table.js";

const POLL_MS = 50;
/** How long the system gets to remove what was killed. */
const KILL_MS = 5_000;

/**
 * Ends a program with everything that it has started: SIGTERM, and SIGKILL for what is left after `graceMs`. The tree is
 * read again before each round, since a process may start others while it is being ended.
 *
 * Never rejects. @returns false when something is left that cannot be killed, or nobody can say whether
 */
export async function terminate(root: ProcessRoot, graceMs: number): Promise<boolean> {
  const seen = new Map<number, ProcessEntry>();
  const told = new Set<string>();
  const start = performance.now();
  for (;;) {
    const table = await processTable().catch(() => null);
    if (table === null) {
      send(-root.pid, "SIGKILL"); // the group at least
      return false;
    }
    const alive = members(table, root, seen).filter(({ ended }) => !ended);
    if (alive.length === 0) return true;
    const elapsed = performance.now() - start;
    if (elapsed > graceMs + KILL_MS) return false;
    for (const entry of alive) {
      seen.set(entry.pid, entry);
      if (elapsed >= graceMs) send(entry.pid, "SIGKILL");
      else if (!told.has(identity(entry))) send(entry.pid, "SIGTERM");
      told.add(identity(entry));
    }
    await sleep(POLL_MS);
  }
}

const identity = ({ pid, started }: ProcessEntry): string => `${pid} ${started}`;

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has gone meanwhile, or belongs to somebody else now.
  }
}
