import type { TaskChange } from "../../tasks/ledger.js";
import type { SqlParams, SqlRow, Statement } from "./statement.js";

/**
 * A command of the ledger is a generator that yields one statement at a time and receives its rows. What drives it is
 * the database's business: SQLite runs it to its end without a pause, so that many commands share one commit;
 * a networked database awaits each statement. The command itself is written once.
 */
export type Command<T> = (effects: Effects) => Steps<T>;
export type Steps<T> = Generator<Query, T, SqlRow[]>;

export interface Query {
  readonly statement: Statement<object>;
  readonly params: SqlParams;
  /** Without it the answer is one row whose `changes` says how many rows the statement changed. */
  readonly wantsRows: boolean;
}

/** What is announced when the transaction is durable, and dropped when it is not. */
export interface Effects {
  changed(change: TaskChange): void;
  keyRevoked(keyId: string): void;
}

const refuse = (): never => {
  throw new Error("a read has no effects");
};
/** For commands that only read. */
export const NO_EFFECTS: Effects = { changed: refuse, keyRevoked: refuse };

export function* all<Row extends object>(statement: Statement<Row>, params: SqlParams): Steps<Row[]> {
  return (yield { statement, params, wantsRows: true }) as Row[];
}

export function* one<Row extends object>(statement: Statement<Row>, params: SqlParams): Steps<Row | undefined> {
  return (yield { statement, params, wantsRows: true })[0] as Row | undefined;
}

/** How many rows the statement changed. */
export function* run(statement: Statement<object>, params: SqlParams): Steps<number> {
  return (yield { statement, params, wantsRows: false })[0]?.changes as number;
}
