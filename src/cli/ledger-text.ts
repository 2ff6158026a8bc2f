import type { LedgerCounts, LedgerFault } from "../store/check/check-ledger.js";
import type { Output } from "./output.js";

/** `12 tasks (3 unfinished), 48 events, 1 dead letter, 2 keys`. */
export function countsText({ tasks, unfinished, events, deadLetters, keys }: LedgerCounts): string {
  const parts = [
    `${amount(tasks, "task")} (${unfinished} unfinished)`,
    amount(events, "event"),
    amount(deadLetters, "dead letter"),
    amount(keys, "key"),
  ];
  return parts.join(", ");
}

const amount = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;

export const faultText = ({ tenant, taskId, message }: LedgerFault): string =>
  `task ${taskId}${tenant === "default" ? "" : ` of ${tenant}`}: ${message}`;

/** Said, and no reason to have no copy: it is as good as the ledger that it is a copy of. */
export function noteFaults(faults: readonly LedgerFault[] | null, out: Output): void {
  const [first, ...more] = faults ?? [];
  if (first === undefined) return;
  out.note(
    `${out.colors.yellow("warning:")} ${faultText(first)}${more.length === 0 ? "" : `; and ${more.length} more`}`,
  );
  out.next("nuncio db check", "shows what is wrong with the ledger");
}
