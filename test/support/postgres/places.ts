import { Client } from "pg";
import { openPostgres } from "../../../src/store/postgres/open-postgres.js";
import type { Database } from "../../../src/store/sql-ledger.js";
import { freshSchema } from "./shared.js";

/** An empty ledger on the shared server, for one test. */
export interface Place {
  database: Database;
  /** Empties it for the next test. */
  leave(): Promise<void>;
}

type Opened = { database: Database; clear(): Promise<void> };

/**
 * Empty databases for tests that come one after another: making a schema takes longer than most of them. As many are kept
 * as are in use at the same time.
 */
export class Places {
  readonly #free: Opened[] = [];
  readonly #all: Promise<Opened & { close(): Promise<void> }>[] = [];

  async take(): Promise<Place> {
    const opened = this.#free.pop() ?? (await this.#open());
    const { database, stopListening } = heard(opened.database);
    return {
      database,
      leave: async () => {
        stopListening();
        await opened.clear();
        this.#free.push(opened);
      },
    };
  }

  async close(): Promise<void> {
    for (const opened of await Promise.all(this.#all)) await opened.close();
  }

  #open(): Promise<Opened> {
    const opened = openPlace();
    this.#all.push(opened);
    return opened;
  }
}

async function openPlace() {
  const { url, schema } = await freshSchema();
  // Tests say what time it is.
  const database = await openPostgres({ url, schema, clock: "caller" });
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 AND tablename <> 'schema_version'",
    [schema],
  );
  // Truncating makes new files of all tables and indexes; the few rows of a test are sooner deleted.
  const clearing = rows.map(({ name }) => `DELETE FROM ${schema}.${name}`).join(";");
  return {
    database,
    clear: async () => void (await client.query(clearing)),
    close: async () => {
      await database.close();
      await client.end();
    },
  };
}

/** The database for one test: it cannot be closed, and who listens to it can be sent away. */
function heard(opened: Database): { database: Database; stopListening(): void } {
  const stops: (() => void)[] = [];
  const kept = (stop: () => void): (() => void) => {
    stops.push(stop);
    return stop;
  };
  return {
    database: {
      write: (command) => opened.write(command),
      read: (query) => opened.read(query),
      onCommit: (listener) => kept(opened.onCommit(listener)),
      onMissed: (listener) => kept(opened.onMissed(listener)),
      onStopped: (listener) => kept(opened.onStopped(listener)),
      onKeyRevoked: (listener) => kept(opened.onKeyRevoked(listener)),
      announceStopped: (task) => opened.announceStopped(task),
      close: async () => {},
    },
    stopListening: () => {
      for (const stop of stops) stop();
    },
  };
}
