import { all, type Command, one } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { RULES } from "./rules.js";

/** A task about which the ledger contradicts itself. */
export interface LedgerFault {
  tenant: string;
  taskId: string;
  /** What is wrong with it, as the end of a sentence: `task ID: its journal is not …`. */
  message: string;
}

export interface LedgerCounts {
  tasks: number;
  /** Of the tasks, those that have not ended. */
  unfinished: number;
  events: number;
  journalSteps: number;
  messageIds: number;
  deadLetters: number;
  keys: number;
}

/** Everything that contradicts the rules, a few of each kind; empty for a ledger that is sound. Takes as long as reading it all. */
export const checkLedger: Command<LedgerFault[]> = function* () {
  const faults: LedgerFault[] = [];
  for (const { broken, find } of RULES) {
    for (const { tenant, id } of yield* all(find, {})) faults.push({ tenant, taskId: id, message: broken });
  }
  return faults;
};

const counts = sql<{ [Name in keyof LedgerCounts]: number }>(`SELECT
    (SELECT count(*) FROM tasks) AS "tasks",
    (SELECT count(*) FROM tasks WHERE state IN ('pending', 'claimed', 'processing', 'waiting')) AS "unfinished",
    (SELECT count(*) FROM events) AS "events",
    (SELECT count(*) FROM journal) AS "journalSteps",
    (SELECT count(*) FROM submissions) AS "messageIds",
    (SELECT count(*) FROM dead_letters) AS "deadLetters",
    (SELECT count(*) FROM api_keys) AS "keys"`);

export const countLedger: Command<LedgerCounts> = function* () {
  return (yield* one(counts, {})) as LedgerCounts;
};
