import pg from "pg";
import { NuncioError } from "../../shared/errors.js";
import { connectingRefusal } from "../postgres/connecting-refusal.js";
import { type ConnectionOptions, wholeLedgerConfig } from "../postgres/connection.js";
import { hasLedger } from "../postgres/has-ledger.js";
import { migratePostgres } from "../postgres/migrate-postgres.js";
import { fromPostgres, sqlState } from "../postgres/postgres-errors.js";
import { takeAlone } from "../postgres/presence.js";
import { ledgerTooNew, MIGRATIONS } from "../schema/migrations.js";
import { postgresPlace } from "./ledger-place.js";
import { type Marks, type MetaChanges, metaValue, READ_MARKS, toMarks } from "./marks.js";
import type { LedgerSide, Row } from "./side.js";
import {
  type ColumnType,
  clearText,
  columnsText,
  countText,
  keyPlaces,
  pageText,
  type Table,
  toTables,
} from "./table.js";

const COLUMNS = `SELECT c.relname AS "table", a.attname AS "column", format_type(a.atttypid, NULL) AS type,
    array_position(CAST(CAST(i.indkey AS int2[]) AS int[]), CAST(a.attnum AS int)) AS key
  FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
  WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) AND c.relkind IN ('r', 'p')
    AND c.relname <> 'schema_version'`;
const SET = "INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
const ARRAYS: Record<ColumnType, string> = { text: "text[]", integer: "int[]", bigint: "bigint[]" };

/** A ledger in a schema of PostgreSQL. */
export class PostgresSide implements LedgerSide {
  readonly place: string;
  readonly #options: ConnectionOptions;
  /** Holds the lock, and writes. */
  #client: pg.Client | undefined;
  /** Reads one moment, while the other one writes. */
  #reader: pg.Client | undefined;

  constructor(options: ConnectionOptions) {
    this.place = postgresPlace(options);
    this.#options = options;
  }

  async takeAlone(): Promise<void> {
    const client = await this.#writer();
    await this.#doing(() => takeAlone(client, this.#options.schema, this.place));
  }

  async version(): Promise<number> {
    const client = await this.#writer();
    if (!(await this.#doing(() => hasLedger(client, this.#options.schema, this.place)))) {
      const tables = await this.#query(COLUMNS, [this.#options.schema]);
      if (tables.length === 0) return 0;
      throw new NuncioError("failed_precondition", `${this.place} has tables in it, but is no ledger of Nuncio`, {
        reason: "NO_LEDGER",
        hint: "name another schema, with ?schema=NAME or storage.schema",
      });
    }
    const [row] = await this.#query("SELECT version FROM schema_version");
    const version = Number(row?.version ?? 0);
    if (version > MIGRATIONS.length) throw ledgerTooNew(version, MIGRATIONS.length, this.place);
    return version;
  }

  /** To the version of this program: there are no others on this side. */
  async migrate(): Promise<void> {
    const client = await this.#writer();
    await this.#doing(() => migratePostgres(client, this.#options.schema));
  }

  async tables(): Promise<Table[]> {
    return toTables((await this.#query(COLUMNS, [this.#options.schema])) as never);
  }

  async marks(): Promise<Marks> {
    const known = await this.#query("SELECT to_regclass('meta') IS NOT NULL AS known");
    return known[0]?.known === true ? toMarks(await this.#query(READ_MARKS)) : {};
  }

  async note(changes: MetaChanges): Promise<void> {
    await this.begin();
    for (const [key, value] of Object.entries(changes)) {
      if (value === null) await this.#query("DELETE FROM meta WHERE key = $1", [key]);
      else await this.#query(SET, [key, metaValue(value)]);
    }
    await this.commit();
  }

  /** Statements without parameters, all or none. */
  async change(texts: readonly string[]): Promise<void> {
    await this.begin();
    for (const text of texts) await this.#query(text);
    await this.commit();
  }

  async beginReading(): Promise<void> {
    this.#reader = await this.#connect();
    await this.#read("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  }

  async endReading(): Promise<void> {
    const reader = this.#reader;
    this.#reader = undefined;
    await reader?.end().catch(() => {});
  }

  async count(table: Table): Promise<number> {
    return Number((await this.#read(countText(table)))[0]?.number);
  }

  async page(table: Table, after: Row | null, limit: number): Promise<Row[]> {
    const text = pageText(table, after !== null, (at) => `$${at + 1}`);
    const rows = await this.#read(text, [...(after ?? []), limit]);
    return rows.map((row) => table.columns.map(({ name }) => row[name] as Row[number]));
  }

  async begin(): Promise<void> {
    await this.#query("BEGIN");
    // What others set it to is for others: when this says that it is done, it is on disk.
    await this.#query("SET LOCAL synchronous_commit = on");
  }

  /** One array for each column: a statement of one form for any number of rows. */
  async insert(table: Table, rows: readonly Row[]): Promise<void> {
    refuseUnstorable(table, rows);
    const arrays = table.columns.map(({ type }, at) => `CAST($${at + 1} AS ${ARRAYS[type]})`);
    await this.#query(
      `INSERT INTO "${table.name}" (${columnsText(table)}) SELECT * FROM unnest(${arrays.join(", ")})`,
      table.columns.map((_, at) => rows.map((row) => row[at])),
    );
  }

  async commit(): Promise<void> {
    await this.#query("COMMIT");
  }

  async clear(tables: readonly Table[]): Promise<void> {
    await this.begin();
    for (const table of tables) await this.#query(clearText(table));
    await this.commit();
  }

  /** Without it the planner would think for a while that everything is empty. */
  async settle(): Promise<void> {
    for (const { name } of await this.tables()) await this.#query(`ANALYZE "${name}"`);
  }

  /** Gives the ledger of another schema this name, and the one that has it now the name `aside`: both, or neither. */
  async exchange(schema: string, aside: string): Promise<void> {
    const name = (text: string) => pg.escapeIdentifier(text);
    await this.#query("BEGIN");
    await this.#query(`ALTER SCHEMA ${name(this.#options.schema)} RENAME TO ${name(aside)}`);
    await this.#query(`ALTER SCHEMA ${name(schema)} RENAME TO ${name(this.#options.schema)}`);
    await this.commit();
  }

  async close(): Promise<void> {
    await this.endReading();
    await this.#client?.end().catch(() => {});
    this.#client = undefined;
  }

  async #writer(): Promise<pg.Client> {
    this.#client ??= await this.#connect();
    return this.#client;
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(wholeLedgerConfig(this.#options));
    // Told of by the next query, too.
    client.on("error", () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      client.end().catch(() => {});
      throw connectingRefusal(error, this.place);
    }
  }

  async #query(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = await this.#writer();
    return this.#doing(async () => (await client.query(text, [...values])).rows);
  }

  /** Of the one moment, when reading has begun. */
  async #read(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const reader = this.#reader;
    if (reader === undefined) return this.#query(text, values);
    return this.#doing(async () => (await reader.query(text, [...values])).rows);
  }

  async #doing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (sqlState(error) === "42501") throw connectingRefusal(error, this.place);
      throw fromPostgres(error);
    }
  }
}

/** SQLite takes a NUL in a text, PostgreSQL has no way to say it. */
function refuseUnstorable(table: Table, rows: readonly Row[]): void {
  for (const row of rows) {
    const at = row.findIndex((value) => typeof value === "string" && value.includes("\0"));
    if (at < 0) continue;
    const key = keyPlaces(table).map((place) => JSON.stringify(row[place]));
    throw new NuncioError(
      "failed_precondition",
      `${table.columns[at]?.name} of the row ${key.join(", ")} in ${table.name} has a NUL character in it, which ` +
        "PostgreSQL cannot hold",
      { reason: "TEXT_NOT_STORABLE", hint: "purge that task, or change that text in the source" },
    );
  }
}
