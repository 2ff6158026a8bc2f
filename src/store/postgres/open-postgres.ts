import { createHash } from "node:crypto";
import pg from "pg";
import { type Clock, steadyClock } from "../../shared/clock.js";
import { NuncioError } from "../../shared/errors.js";
import { Announcements } from "../sql/announcements.js";
import type { Database } from "../sql-ledger.js";
import { Channel } from "./channel.js";
import { connectingRefusal } from "./connecting-refusal.js";
import { connectionConfig, placeOf } from "./connection.js";
import { DATABASE_TIME, type LedgerClock } from "./dialect.js";
import { migratePostgres } from "./migrate-postgres.js";
import { enter } from "./presence.js";
import { PostgresTransactions } from "./transactions.js";
import { YoungTables } from "./young-tables.js";

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`; a direct connection, since nodes listen for each other's news. */
  url: string;
  /** Where the tables are; several ledgers may share a database. Default `nuncio`. */
  schema?: string;
  /** Connections for commands, besides the one that listens. Default 10. */
  poolSize?: number;
  /** Whose clock leases go by. Default `database`. */
  clock?: LedgerClock;
  /** Serve it although it was moved elsewhere. */
  useMoved?: boolean;
}

export interface PostgresDatabase extends Database {
  /** The database's time, which all nodes share, as far as the last exchange with it lets us know. */
  readonly clock: Clock;
}

/** Opens a ledger that any number of nodes share, and brings its schema up to date. */
export async function openPostgres(options: PostgresOptions): Promise<PostgresDatabase> {
  const { url, schema = "nuncio", poolSize = 10, clock: leaseClock = "database", useMoved = false } = options;
  const config = connectionConfig({ url, schema });
  const place = placeOf(url);
  const time = await prepare(config, schema, useMoved).catch((error: unknown) => {
    throw NuncioError.is(error) ? error : connectingRefusal(error, place);
  });

  const letIn = (client: pg.ClientBase) => enter(client, schema, useMoved);
  const pool = new pg.Pool({
    ...config,
    max: poolSize,
    idleTimeoutMillis: 60_000,
    onConnect: (client) => letIn(client).catch((error) => Promise.reject(notServed(error))),
  });
  // A connection that breaks while nobody uses it is replaced when the next one is asked for.
  pool.on("error", () => {});
  // One that breaks while it is used tells its user by the statement, and everybody else here: an event that nobody
  // listened to would end the process.
  pool.on("connect", (client) => client.on("error", () => {}));

  const young = new YoungTables(pool);
  const announcements = new Announcements();
  const channel = new Channel(config, channelOf(schema), letIn, {
    changes: (changes) => announcements.changes.tell(changes),
    keyRevoked: (keyId) => announcements.revokedKeys.tell(keyId),
    stopped: (task) => announcements.stopped.tell(task),
    missed: () => {
      announcements.missed.tell();
      void time.follow(pool);
      void young.look();
    },
  });
  await channel.open().catch(async (error: unknown) => {
    await Promise.all([channel.close(), pool.end()]);
    throw NuncioError.is(error) ? error : connectingRefusal(error, place);
  });

  const transactions = new PostgresTransactions(pool, leaseClock, (effects) => {
    announcements.announce([effects]);
    channel.announceChanges(effects.changes);
    for (const keyId of effects.revokedKeys) channel.announceKey(keyId);
  });
  const open = new OpenCommands();
  return {
    clock: time.clock,
    write: (command) => open.while(() => transactions.write(command)),
    read: (query) => open.while(() => transactions.read(query)),
    onCommit: announcements.changes.add,
    onKeyRevoked: announcements.revokedKeys.add,
    onMissed: announcements.missed.add,
    onStopped: announcements.stopped.add,
    announceStopped: channel.announceStopped,
    async close() {
      await open.close();
      await channel.close();
      await pool.end();
    },
  };
}

/** The server lets a channel have a name of 63 bytes, as a schema. */
function channelOf(schema: string): string {
  const name = `nuncio_${schema}`;
  return name.length <= 63 ? name : `nuncio_${createHash("sha256").update(schema).digest("hex").slice(0, 32)}`;
}

/** To callers of a node that runs it is no fault of theirs, and another node may do it. */
function notServed(error: unknown): unknown {
  if (!NuncioError.is(error)) return error;
  const { message, reason, hint } = error;
  return new NuncioError("unavailable", message, { ...(reason && { reason }), ...(hint && { hint }), cause: error });
}

/** Migrates, and compares clocks. */
async function prepare(config: pg.ClientConfig, schema: string, useMoved: boolean): Promise<DatabaseTime> {
  const client = new pg.Client(config);
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query("SHOW synchronous_commit");
    // What a caller was told is on disk, whatever the database was set to for others.
    if (rows[0]?.synchronous_commit === "off") config.options += " -c synchronous_commit=on";
    // One that is served elsewhere is not changed in any way.
    await enter(client, schema, useMoved);
    await migratePostgres(client, schema);
    const time = new DatabaseTime();
    await time.compare(client);
    return time;
  } finally {
    await client.end().catch(() => {});
  }
}

/** The database's time, kept up between exchanges by the time that has passed here. */
class DatabaseTime {
  /** Database time at `#mark`, ms. Long ago until it is asked: the clock never goes back, not from our own time either. */
  #time = 0;
  /** In the time of `performance.now()`. */
  #mark = performance.now();
  readonly clock = steadyClock(
    () => Math.floor(this.#time + performance.now() - this.#mark),
    () => performance.now(),
  );

  /** The answer was made between question and arrival: the middle is off by at most half of that. */
  async compare(client: pg.ClientBase): Promise<void> {
    const asked = performance.now();
    const { rows } = await client.query(`SELECT ${DATABASE_TIME} AS now`);
    const answered = performance.now();
    this.#time = Number(rows[0]?.now);
    this.#mark = (asked + answered) / 2;
  }

  /** Compares again. The time that a busy node waits for a connection is no part of the exchange. */
  async follow(pool: pg.Pool): Promise<void> {
    try {
      const client = await pool.connect();
      await this.compare(client).then(
        () => client.release(),
        (error: Error) => client.release(error),
      );
    } catch {
      // What is known is good for longer, and this comes again.
    }
  }
}

/** Commands that run: closing waits for them, and takes no new ones. */
class OpenCommands {
  readonly #open = new Set<Promise<unknown>>();
  #closed = false;

  while<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) {
      return Promise.reject(new NuncioError("unavailable", "the ledger is closed", { retryable: false }));
    }
    const done = work();
    const settled: Promise<unknown> = done.then(
      () => this.#open.delete(settled),
      () => this.#open.delete(settled),
    );
    this.#open.add(settled);
    return done;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#open);
  }
}
