import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { NuncioError } from "../../shared/errors.js";
import { OUTCOME_UNKNOWN } from "../../tasks/ledger.js";
import { CollectedEffects } from "../sql/announcements.js";
import { type Command, NO_EFFECTS, type Query, type Steps } from "../sql/command.js";
import type { SqlRow, SqlValue, Statement } from "../sql/statement.js";
import { forPostgres, type LedgerClock, type PostgresText } from "./dialect.js";
import { fromPostgres, isCollision, isConnectionLoss, sqlState } from "./postgres-errors.js";

/** Transactions that got in each other's way are run again; the locks of the commands make that rare. */
const MOST_COLLISIONS = 10;
/** How long the database is asked whether a commit has happened whose answer was lost. */
const ASK_FOR_MS = 30_000;
const ASK_EVERY_MS = 200;

/** Its number is there from the beginning: the server can say by it what became of a commit whose answer was lost. */
const BEGIN =
  "BEGIN ISOLATION LEVEL READ COMMITTED; SELECT CAST(pg_current_xact_id() AS text) AS number, " +
  "CAST(pg_postmaster_start_time() AS text) AS server";
const ASK = "SELECT pg_xact_status(CAST($1 AS xid8)) AS status, CAST(pg_postmaster_start_time() AS text) AS server";
/** Several statements that see one moment. */
const BEGIN_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/** A transaction, and the life of the server in which it has its number. */
interface Transaction {
  number: string;
  server: string;
}

/** The server ends all connections since one of its processes has crashed. */
const CRASHED = "57P02";

/** What became of one run of a command. */
type Run<T> =
  | { outcome: "committed"; value: T; effects: CollectedEffects }
  | { outcome: "unknown"; value: T; effects: CollectedEffects; transaction: Transaction; error: unknown }
  | { outcome: "collided" };

/**
 * Runs each command in a transaction of its own, on a connection that nobody else uses meanwhile. The server groups the
 * commits of many connections into one sync of the disk by itself.
 */
export class PostgresTransactions {
  readonly #pool: pg.Pool;
  readonly #clock: LedgerClock;
  readonly #announce: (effects: CollectedEffects) => void;
  readonly #compiled: PostgresText[] = [];

  constructor(pool: pg.Pool, clock: LedgerClock, announce: (effects: CollectedEffects) => void) {
    this.#pool = pool;
    this.#clock = clock;
    this.#announce = announce;
  }

  /** Resolves when the command is durable. */
  async write<T>(command: Command<T>): Promise<T> {
    for (let runs = 1; ; runs++) {
      const run = await this.#onConnection((client) => this.#run(client, command));
      if (run.outcome === "unknown" && !(await this.#happened(run.transaction, run.error))) {
        throw fromPostgres(run.error);
      }
      if (run.outcome !== "collided") {
        this.#announce(run.effects);
        return run.value;
      }
      if (runs === MOST_COLLISIONS) {
        throw new NuncioError("unavailable", "transactions got in each other's way too often");
      }
      await pause(Math.random() * 10 * runs);
    }
  }

  read<T>(query: Command<T>): Promise<T> {
    return this.#onConnection(async (client) => {
      await client.query(BEGIN_READING);
      const value = await this.#drive(client, query(NO_EFFECTS));
      await client.query("COMMIT");
      return value;
    });
  }

  async #run<T>(client: pg.ClientBase, command: Command<T>): Promise<Run<T>> {
    const effects = new CollectedEffects();
    let transaction: Transaction;
    let value: T;
    try {
      transaction = await begin(client);
      value = await this.#drive(client, command(effects));
    } catch (error) {
      if (!isCollision(error)) throw error;
      await client.query("ROLLBACK");
      return { outcome: "collided" };
    }
    try {
      await client.query("COMMIT");
      return { outcome: "committed", value, effects };
    } catch (error) {
      if (isCollision(error)) return { outcome: "collided" };
      if (!isConnectionLoss(error)) throw error;
      return { outcome: "unknown", value, effects, transaction, error };
    }
  }

  /** A connection after whose use nothing is open; one that is in doubt is closed. */
  async #onConnection<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw fromPostgres(error);
    });
    let broken = false;
    try {
      const result = await use(client);
      broken = (result as Partial<Run<unknown>> | undefined)?.outcome === "unknown";
      return result;
    } catch (error) {
      // Also after what is no error of the database: a command refuses by what it has read, in the middle.
      broken = await client.query("ROLLBACK").then(
        () => false,
        () => true,
      );
      throw fromPostgres(error);
    } finally {
      client.release(broken);
    }
  }

  /**
   * Whether the transaction was committed whose answer was lost. While the database cannot be asked this waits: the caller
   * must not be told that nothing happened when something may have.
   *
   * A server that has crashed gives the numbers again that had not come to its disk: what is committed under ours
   * may be the work of somebody else.
   */
  async #happened({ number, server }: Transaction, cause: unknown): Promise<boolean> {
    const until = performance.now() + ASK_FOR_MS;
    while (performance.now() < until) {
      try {
        const { rows } = await this.#pool.query(ASK, [number]);
        const status = rows[0]?.status;
        const sameLife = rows[0]?.server === server && sqlState(cause) !== CRASHED;
        if (status === "committed" && sameLife) return true;
        if (status === "committed") break;
        // NULL is for numbers that are forgotten, after billions of transactions, or that were never given.
        if (status !== "in progress") return false;
      } catch {
        // It is restarting, or out of reach: it is asked again.
      }
      await pause(ASK_EVERY_MS);
    }
    throw new NuncioError(
      "unavailable",
      "PostgreSQL was lost in the middle of a commit, and what became of it is not known",
      {
        reason: OUTCOME_UNKNOWN,
        hint: "send the same message again, with the same messageId: it is taken once",
        cause,
      },
    );
  }

  async #drive<T>(client: pg.ClientBase, steps: Steps<T>): Promise<T> {
    let step = steps.next();
    while (!step.done) step = steps.next(await this.#execute(client, step.value));
    return step.value;
  }

  async #execute(client: pg.ClientBase, { statement, params, wantsRows }: Query): Promise<SqlRow[]> {
    const { name, text, names } = this.#compile(statement);
    const values: SqlValue[] = names.map((key) => {
      const value = params[key];
      if (value === undefined) throw new Error(`no value for :${key} in ${statement.text}`);
      return value;
    });
    const { rows, rowCount } = await client.query<SqlRow>({ name, text, values });
    return wantsRows ? rows : [{ changes: rowCount ?? 0 }];
  }

  #compile(statement: Statement<object>): PostgresText {
    const known = this.#compiled[statement.id];
    if (known !== undefined) return known;
    const compiled = forPostgres(statement, this.#clock);
    this.#compiled[statement.id] = compiled;
    return compiled;
  }
}

/** Begins a writing transaction, and answers with its number. */
async function begin(client: pg.ClientBase): Promise<Transaction> {
  // Two statements in one message are answered by two results.
  const results = (await client.query(BEGIN)) as unknown as pg.QueryResult<Transaction>[];
  return results[1]?.rows[0] as Transaction;
}
