import { one, type Steps } from "../../sql/command.js";
import { sql } from "../../sql/statement.js";
import { departuresOf, EVERYBODY } from "./departures.js";

/** So long after its creation at the latest a task is there for every reader: no transaction takes longer, nor do clocks differ by it. */
export const SETTLED_MS = 60_000;
/** Lists that are remembered at once; the one that was asked for longest ago is counted again. */
const MOST_LISTS = 10_000;

/** Along the index, from the tasks on that were created at `from`: their status is never older. */
const counting = (whose: string) =>
  sql<{ listed: number; settled: number }>(`SELECT count(*) AS listed,
    count(CASE WHEN created_at < :upTo THEN 1 END) AS settled FROM tasks
  WHERE tenant = :tenant AND persona = :persona ${whose} AND unlisted = 0 AND status_at >= :from AND created_at >= :from`);

const countOwn = counting("AND principal = :principal");
const countAll = counting("");

/** What was counted once of a list. */
interface Counted {
  /** All tasks that were created before this time (ms) have been counted. */
  upTo: number;
  /** Their number, with those that have left the list since the ledger began. */
  ever: number;
  /** Those that had left it then. */
  departed: number;
}

/**
 * How many tasks each list holds. A million entries are counted once in the life of a process; from then on only those of
 * the last minute, and what has come since the list was asked for last. What leaves a list is counted in the ledger, by
 * whichever node purges it.
 */
export class ListTotals {
  readonly #counted = new Map<string, Counted>();

  *total(tenant: string, persona: string, principal: string | undefined, now: number): Steps<number> {
    const list = { tenant, persona, principal: principal ?? EVERYBODY };
    const key = JSON.stringify(list);
    const { number, youngest } = yield* departuresOf(list);
    const known = this.#counted.get(key);
    // One that was created later may never have been counted.
    const holds = known !== undefined && (known.departed === number || youngest < known.upTo);
    const before: Counted = holds ? known : { upTo: 0, ever: number, departed: number };
    const upTo = Math.max(now - SETTLED_MS, before.upTo);
    const params = { tenant, persona, from: before.upTo, upTo };
    const counts =
      principal === undefined ? yield* one(countAll, params) : yield* one(countOwn, { ...params, principal });
    const { listed, settled } = counts ?? { listed: 0, settled: 0 };
    this.#remember(key, { upTo, ever: before.ever + settled, departed: number });
    return before.ever - number + listed;
  }

  #remember(key: string, counted: Counted): void {
    this.#counted.delete(key);
    this.#counted.set(key, counted);
    if (this.#counted.size <= MOST_LISTS) return;
    for (const oldest of this.#counted.keys()) {
      this.#counted.delete(oldest);
      return;
    }
  }
}
