import type { ProcessEntry } from "./process-table.js";

/** The program that an attempt has started. */
export interface ProcessRoot {
  /** Also the number of its process group. */
  pid: number;
  marker: string;
}

/**
 * The processes that belong to a program: its group, those that carry its marker, those seen before, and whatever
 * descends from any of these. Descent alone is not enough: a process whose parent has ended belongs to init, and may
 * have gone into a session of its own before.
 *
 * @param seen members found before, by number; a number that another process has now is no member
 */
export function members(
  table: readonly ProcessEntry[],
  root: ProcessRoot,
  seen: ReadonlyMap<number, ProcessEntry>,
): ProcessEntry[] {
  const found = new Map<number, ProcessEntry>();
  for (const entry of table) {
    const known = seen.get(entry.pid)?.started === entry.started;
    if (known || entry.group === root.pid || entry.marker === root.marker) found.set(entry.pid, entry);
  }
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const entry of table) if (found.has(entry.parent)) found.set(entry.pid, entry);
  }
  return [...found.values()];
}
