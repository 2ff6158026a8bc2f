import { NuncioError } from "../../shared/errors.js";
import { OUTCOME_UNKNOWN } from "../../tasks/ledger.js";
import { CollectedEffects } from "../sql/announcements.js";
import { type Command, NO_EFFECTS, type Query, type Steps } from "../sql/command.js";
import type { SqlRow, SqlValue, Statement } from "../sql/statement.js";
import { forSqlite } from "./dialect.js";
import type { SqliteDriver, SqliteStatement } from "./driver.js";

import { DurableLine, type Telling } from "./durable-line.js";
import { fromSqlite } from "./sqlite-errors.js";
import type { WalSync } from "./wal-sync.js";

/** A group ends after this many commands, so that the first one's caller does not wait for a flood behind it. */
const LARGEST_GROUP = 256;

interface Done {
  waiting: Waiting;
  value: unknown;
  effects: CollectedEffects;
}

interface Refused {
  waiting: Waiting;
  error: unknown;
}

interface Run {
  done: readonly Done[];
  refused: readonly Refused[];
}

const NOTHING: Run = { done: [], refused: [] };

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
 * A group runs without a pause, and between groups the connection shows committed data only, so reads use it as well. What
 * a group or a read has found is told when the disk has everything that it rests on.
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
  readonly #line: DurableLine | undefined;
  #queue: Waiting[] = [];
  #scheduled = false;
  /** The group that is being run has changed something. */
  #groupWrote = false;
  /** The command that is being run has changed something. */
  #wrote = false;
  #closed = false;

  /** @param log makes commits durable; without it the driver's COMMIT does */
  constructor(driver: SqliteDriver, announce: (done: readonly CollectedEffects[]) => void, log?: WalSync) {
    this.#driver = driver;
    this.#line = log === undefined ? undefined : new DurableLine(log);
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
    if (this.#line?.failed === true) return Promise.reject(brokenDisk());
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ command, resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  read<T>(query: Command<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise<T>((resolve, reject) => {
      const told = this.#answerOf(query, resolve, reject);
      this.#tell({ tell: told, fail: () => reject(brokenDisk()) }, false);
    });
  }

  #answerOf<T>(query: Command<T>, resolve: (value: T) => void, reject: (error: unknown) => void): () => void {
    try {
      const value = this.#drive(query(NO_EFFECTS));
      return () => resolve(value);
    } catch (error) {
      return () => reject(fromSqlite(error));
    }
  }

  /** Resolves when what was handed in before is durable; nothing is taken after. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    while (this.#queue.length > 0) this.#flush();
    await this.#line?.close();
    this.#driver.close();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#queue.length === 0) return;
      this.#flush();
      if (this.#queue.length > 0) this.#schedule();
    });
  }

  #flush(): void {
    const group = this.#queue.splice(0, LARGEST_GROUP);
    this.#groupWrote = false;
    const run = this.#commit(group, false) ?? this.#commit(group, true) ?? NOTHING;
    const tell = () => {
      this.#announce(run.done.map(({ effects }) => effects));
      for (const { waiting, value } of run.done) waiting.resolve(value);
      for (const { waiting, error } of run.refused) waiting.reject(error);
    };
    // What was committed may be on the disk or not, and cannot be taken back: the next start finds out.
    const fail = (cause: Error) => {
      for (const { waiting } of run.done) waiting.reject(lostOnDisk(cause));
      for (const { waiting, error } of run.refused) waiting.reject(error);
    };
    this.#tell({ tell, fail }, this.#groupWrote);
  }

  #tell(telling: Telling, wrote: boolean): void {
    if (this.#line === undefined) telling.tell();
    else this.#line.add(telling, wrote);
  }

  /**
   * Runs a group in one transaction. A command that is refused has mostly found out before it wrote anything, and costs
   * nothing. When one fails half-way the group is undone and run again with a savepoint around each command, so that it
   * takes nothing with it; doing so always would cost four statements for each request.
   *
   * @returns what is committed; null when the group must be run again with savepoints
   */
  #commit(group: readonly Waiting[], savepoints: boolean): Run | null {
    const done: Done[] = [];
    const refused: Refused[] = [];
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
      return { done: [], refused: group.map((waiting) => ({ waiting, error: cause })) };
    }
    return { done, refused };
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

const NOT_TAKEN = "the disk that holds the ledger did not take what was written";

const lostOnDisk = (cause: Error) => new NuncioError("unavailable", NOT_TAKEN, { reason: OUTCOME_UNKNOWN, cause });

const brokenDisk = () =>
  new NuncioError("unavailable", `${NOT_TAKEN}; the daemon must be started again`, {
    reason: "SQLITE_IOERR_FSYNC",
    hint: "the operator should look at the disk, and start the daemon again",
  });

const closed = () => new NuncioError("unavailable", "the ledger is closed", { retryable: false });
