import { setTimeout as after } from "node:timers/promises";
import { messageOf, NuncioError } from "../shared/errors.js";
import { type Command, run } from "./sql/command.js";
import { sql } from "./sql/statement.js";
import type { Database } from "./sql-ledger.js";

export type Health =
  | { available: true }
  /** Submissions are refused and running work is kept, for `forMs` so far. */
  | { available: false; reason: string; forMs: number };

const insertNothing = sql(
  "INSERT INTO waits (tenant, awaited_id, awaiter_id) VALUES ('', '', '') ON CONFLICT DO NOTHING",
);
const deleteNothing = sql("DELETE FROM waits WHERE tenant = '' AND awaited_id = '' AND awaiter_id = ''");

/** What it writes it takes back, in one transaction: the disk has to take both, and nothing is left. */
const probe: Command<void> = function* () {
  yield* run(insertNothing, {});
  yield* run(deleteNothing, {});
};

/** Reasons of errors that are about the database as a whole, and not about one command. */
const OF_THE_DATABASE = /^(?:SQLITE|POSTGRES)_/;
/** Nobody who asks how the ledger is waits for longer. */
const ANSWER_MS = 2000;

/**
 * Whether the database takes what is written, as the last commands tell. It is asked itself only where the last one
 * failed, since an idle daemon would otherwise never find out that the disk has room again.
 */
export class LedgerHealth {
  /** The same database, looked at while it is used. */
  readonly database: Database;
  #failed: { reason: string; at: number } | undefined;
  #probing: Promise<void> | undefined;

  constructor(database: Database) {
    this.database = {
      ...database,
      write: (command) => this.#watch(database.write(command)),
      read: (query) => this.#watch(database.read(query)),
    };
    // Something of ours is durable. What only looked for work says nothing: it wrote nothing.
    database.onCommit(() => {
      this.#failed = undefined;
    });
  }

  async check(): Promise<Health> {
    if (this.#failed !== undefined) {
      this.#probing ??= this.#probe().finally(() => {
        this.#probing = undefined;
      });
      await Promise.race([this.#probing, after(ANSWER_MS, undefined, { ref: false })]);
    }
    if (this.#failed === undefined) return { available: true };
    const { reason, at } = this.#failed;
    return { available: false, reason, forMs: Math.round(performance.now() - at) };
  }

  async #probe(): Promise<void> {
    const before = this.#failed;
    try {
      await this.database.write(probe);
      if (this.#failed === before) this.#failed = undefined;
    } catch {
      // Noticed like any other.
    }
  }

  #watch<T>(work: Promise<T>): Promise<T> {
    work.catch((error: unknown) => {
      if (!NuncioError.is(error, "unavailable") || !OF_THE_DATABASE.test(error.reason ?? "")) return;
      this.#failed = { at: performance.now(), ...this.#failed, reason: messageOf(error) };
    });
    return work;
  }
}
