import { NuncioError } from "../../shared/errors.js";
import { OUTCOME_UNKNOWN } from "../../tasks/ledger.js";
import { CollectedEffects } from "../sql/announcements.js";
import { type Command, NO_EFFECTS, type Query, type Steps } from "../sql/command.js";
import type { SqlRow, SqlValue, Statement } from "../sql/statement.js";
import { forSqlite } from "./dialect.js";
import type { SqliteDriver, SqliteStatement } from "./driver.js";

import { fromSqlite } from "./sqlite-errors.js";
import type { WalSync } from "./wal-sync.js";

/** A group ends after this many commands, so that the first one's caller does not wait for a flood behind it. */
const LARGEST_GROUP = 256;

interface Done {
  waiting: Waiting;
  value: unknown;
  effects: CollectedEffects;
}

interface Prepared {
  readonly statement: SqliteStatement;
  readonly names: readonly string[];
}

interface Waiting {
  command: Command<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * The one writer of a SQLite ledger. Commands that arrive in the same turn of the event loop, or while a group is being
 * made durable, share one transaction and so one sync of the disk; one that is refused takes nothing with it.
 *
 * A group runs without a pause, and the next one begins when it is durable. Reads use the same connection, and wait until
 * then, too: between groups it shows only what is on the disk.
 */
export class GroupedWriter {
  readonly #driver: SqliteDriver;
  readonly #announce: (done: readonly CollectedEffects[]) => void;
  readonly #prepared: Prepared[] = [];
  readonly #begin: SqliteStatement;
  readonly #end: SqliteStatement;
  readonly #rollback: SqliteStatement;
  readonly #savepoint: SqliteStatement;
  readonly #release: SqliteStatement;
  readonly #rollbackTo: SqliteStatement;
  readonly #sync: WalSync | undefined;
  #queue: Waiting[] = [];
  #reads: (() => void)[] = [];
  #scheduled = false;
  /** A group has been committed and is on its way to the disk. */
  #syncing = false;
  /** The group that is being run has changed something. */
  #groupWrote = false;
  /** The disk has failed to take what was committed. */
  #broken: NuncioError | undefined;
  #onIdle: (() => void) | undefined;
  /** The command that is being run has changed something. */
  #wrote = false;
  #closed = false;

  /** @param sync makes a commit durable; without it the driver's COMMIT does */
  constructor(driver: SqliteDriver, announce: (done: readonly CollectedEffects[]) => void, sync?: WalSync) {
    this.#driver = driver;
    this.#sync = sync;
    this.#announce = announce;
    this.#begin = driver.prepare("BEGIN IMMEDIATE");
    this.#end = driver.prepare("COMMIT");
    this.#rollback = driver.prepare("ROLLBACK");
    this.#savepoint = driver.prepare("SAVEPOINT command");
    this.#release = driver.prepare("RELEASE command");
    this.#rollbackTo = driver.prepare("ROLLBACK TO command");
  }

  /** Resolves when the command is durable. */
  write<T>(command: Command<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closed());
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ command, resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  read<T>(query: Command<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closed());
    if (!this.#syncing) return this.#readNow(query);
    return new Promise((resolve) => {
      this.#reads.push(() => resolve(this.#readNow(query)));
    });
  }

  #readNow<T>(query: Command<T>): Promise<T> {
    try {
      return Promise.resolve(this.#drive(query(NO_EFFECTS)));
    } catch (error) {
      return Promise.reject(fromSqlite(error));
    }
  }

  /** Resolves when what was handed in before is durable; nothing is taken after. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    while (this.#syncing || this.#queue.length > 0) {
      if (this.#syncing) await new Promise<void>((resolve) => (this.#onIdle = resolve));
      else this.#flush();
    }
    this.#sync?.close();
    this.#driver.close();
  }

  #schedule(): void {
    if (this.#scheduled || this.#syncing) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (!this.#syncing && this.#queue.length > 0) this.#flush();
    });
  }

  #flush(): void {
    const group = this.#queue.splice(0, LARGEST_GROUP);
    this.#groupWrote = false;
    const done = this.#commit(group, false) ?? this.#commit(group, true) ?? [];
    if (this.#sync === undefined || !this.#groupWrote) {
      this.#tell(done);
      return;
    }
    this.#syncing = true;
    this.#sync.sync((error) => {
      this.#syncing = false;
      if (error === null) this.#tell(done);
      else this.#fail(done, error);
      for (const read of this.#reads.splice(0)) read();
      this.#onIdle?.();
    });
  }

  #tell(done: readonly Done[]): void {
    this.#announce(done.map(({ effects }) => effects));
    for (const { waiting, value } of done) waiting.resolve(value);
    if (this.#queue.length > 0) this.#schedule();
  }

  /**
   * What was committed may be on the disk or not, and cannot be taken back. Nothing is told of it, and nothing more is
   * taken: the next start finds out what is there.
   */
  #fail(done: readonly Done[], cause: Error): void {
    const unknown = { reason: OUTCOME_UNKNOWN, cause };
    const text = "the disk that holds the ledger did not take what was written";
    for (const { waiting } of done) waiting.reject(new NuncioError("unavailable", text, unknown));
    this.#broken = new NuncioError("unavailable", `${text}; the daemon must be started again`, {
      reason: "SQLITE_IOERR_FSYNC",
      hint: "the operator should look at the disk, and start the daemon again",
      cause,
    });
    for (const { reject } of this.#queue.splice(0)) reject(this.#broken);
  }

  /**
   * Runs a group in one transaction. A command that is refused has mostly found out before it wrote anything, and costs
   * nothing. When one fails half-way the group is undone and run again with a savepoint around each command, so that it
   * takes nothing with it; doing so always would cost four statements for each request.
   *
   * @returns what is durable; null when the group must be run again with savepoints
   */
  #commit(group: readonly Waiting[], savepoints: boolean): Done[] | null {
    const done: Done[] = [];
    const refused: { waiting: Waiting; error: unknown }[] = [];
    try {
      this.#begin.run([]);
      for (const waiting of group) {
        const effects = new CollectedEffects();
        if (savepoints) this.#savepoint.run([]);
        this.#wrote = false;
        try {
          const value = this.#drive(waiting.command(effects));
          if (savepoints) this.#release.run([]);
          done.push({ waiting, value, effects });
        } catch (error) {
          // A full disk makes SQLite end the whole transaction by itself; then the group as a whole has failed.
          if (!this.#driver.inTransaction) throw error;
          if (savepoints) {
            this.#rollbackTo.run([]);
            this.#release.run([]);
          } else if (this.#wrote) {
            this.#rollback.run([]);
            return null;
          }
          refused.push({ waiting, error: fromSqlite(error) });
        }
      }
      this.#end.run([]);
    } catch (error) {
      // Nothing of the group is durable: every command that had succeeded inside it is refused instead.
      if (this.#driver.inTransaction) this.#rollback.run([]);
      const cause = fromSqlite(error);
      for (const waiting of group) waiting.reject(cause);
      return [];
    }
    for (const { waiting, error } of refused) waiting.reject(error);
    return done;
  }

  #drive<T>(steps: Steps<T>): T {
    let step = steps.next();
    while (!step.done) step = steps.next(this.#execute(step.value));
    return step.value;
  }

  #execute({ statement, params, wantsRows }: Query): SqlRow[] {
    // There is no other writer to wait for.
    if (statement.locks) return [];
    const { statement: prepared, names } = this.#prepared[statement.id] ?? this.#prepare(statement);
    const values: SqlValue[] = new Array(names.length);
    for (let i = 0; i < names.length; i++) {
      const value = params[names[i] as string];
      if (value === undefined) throw new Error(`no value for :${names[i]} in ${statement.text}`);
      values[i] = value;
    }
    if (!statement.reads) {
      this.#wrote = true;
      this.#groupWrote = true;
    }
    if (wantsRows) return prepared.all(values);
    return [{ changes: prepared.run(values) }];
  }

  #prepare(statement: Statement<object>): Prepared {
    const { text, names } = forSqlite(statement);
    const prepared = { statement: this.#driver.prepare(text), names };
    this.#prepared[statement.id] = prepared;
    return prepared;
  }
}

const closed = () => new NuncioError("unavailable", "the ledger is closed", { retryable: false });
