import { chmodSync, existsSync, realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { NuncioError } from "../../shared/errors.js";
import { makeDirectory } from "../../shared/make-directory.js";
import { ledgerTooNew, MIGRATIONS } from "../schema/migrations.js";
import { lockDirectory } from "../sqlite/directory-lock.js";
import type { SqliteDriver, SqliteStatement } from "../sqlite/driver.js";
import { fileRefusal } from "../sqlite/file-refusal.js";
import { migrateSqlite, schemaVersion } from "../sqlite/migrate-sqlite.js";
import { openDriver } from "../sqlite/open-driver.js";
import { openingRefusal } from "../sqlite/sqlite-errors.js";
import { type Marks, type MetaChanges, metaValue, READ_MARKS, toMarks } from "./marks.js";
import type { LedgerSide, Row } from "./side.js";
import { clearText, columnsText, countText, pageText, type Table, toTables } from "./table.js";

const COLUMNS = `SELECT t.name AS "table", c.name AS "column", c.type AS type, NULLIF(c.pk, 0) AS key
  FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`;
const SET = "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";

export interface SqliteSideOptions {
  /** Nothing is changed in it, and it must be there. */
  readOnly?: boolean;
  /** One that nobody serves: a file without a log beside it. */
  detached?: boolean;
}

/** A ledger in a file. The file is made when something is to be written to it. */
export class SqliteSide implements LedgerSide {
  readonly place: string;
  readonly #file: string;
  readonly #readOnly: boolean;
  readonly #detached: boolean;
  #driver: SqliteDriver | undefined;
  readonly #locks: { release(): void }[] = [];
  readonly #prepared = new Map<string, SqliteStatement>();

  constructor(file: string, { readOnly = false, detached = false }: SqliteSideOptions = {}) {
    this.place = `sqlite:${file}`;
    this.#file = file;
    this.#readOnly = readOnly;
    this.#detached = detached;
  }

  /**
   * The lock of the data directory, where it is the ledger of one: no daemon works on another file. Where that is a link to
   * a ledger in another data directory, of both.
   */
  async takeAlone(): Promise<void> {
    this.#doing(() => makeDirectory(dirname(this.#file), 0o700));
    if (this.#locks.length > 0) return;
    const real = existsSync(this.#file) ? realpathSync(this.#file) : this.#file;
    const ledgers = [this.#file, real].filter((file) => basename(file) === "ledger.db");
    for (const directory of new Set(ledgers.map((file) => realpathSync(dirname(file))))) this.#lock(directory);
  }

  #lock(directory: string): void {
    try {
      this.#locks.push(lockDirectory(directory));
    } catch (error) {
      if (!NuncioError.is(error) || error.reason !== "DATA_DIRECTORY_IN_USE") throw error;
      throw new NuncioError("failed_precondition", `a daemon is running on ${directory}`, {
        reason: "LEDGER_IN_USE",
        hint: "stop it first, and start it again afterwards: a ledger that is being written cannot be moved",
        cause: error,
      });
    }
  }

  async version(): Promise<number> {
    if (!existsSync(this.#file)) return 0;
    return this.#doing(() => {
      const version = schemaVersion(this.#open());
      if (version > MIGRATIONS.length) throw ledgerTooNew(version, MIGRATIONS.length, this.#file);
      if (version === 0 && this.#all(COLUMNS).length > 0) {
        throw new NuncioError("failed_precondition", `${this.#file} is a SQLite database, but no ledger of Nuncio`, {
          reason: "NO_LEDGER",
          hint: "name a data directory, or the file ledger.db in one",
        });
      }
      return version;
    });
  }

  async migrate(version: number): Promise<void> {
    this.#doing(() => migrateSqlite(this.#open(), MIGRATIONS.slice(0, version)));
  }

  async tables(): Promise<Table[]> {
    return this.#doing(() => toTables(this.#all(COLUMNS) as never));
  }

  async marks(): Promise<Marks> {
    return this.#doing(() => {
      // A ledger of the first version has none.
      const known = this.#all("SELECT 1 FROM sqlite_master WHERE name = 'meta'").length > 0;
      return known ? toMarks(this.#all(READ_MARKS)) : {};
    });
  }

  async note(changes: MetaChanges): Promise<void> {
    this.#doing(() => {
      const driver = this.#open();
      driver.exec("PRAGMA synchronous = FULL; BEGIN IMMEDIATE");
      for (const [key, value] of Object.entries(changes)) {
        if (value === null) this.#statement("DELETE FROM meta WHERE key = ?").run([key]);
        else this.#statement(SET).run([key, metaValue(value)]);
      }
      driver.exec("COMMIT");
    });
  }

  async beginReading(): Promise<void> {
    this.#doing(() => this.#open().exec("BEGIN"));
  }

  async endReading(): Promise<void> {
    if (this.#driver?.inTransaction) this.#driver.exec("ROLLBACK");
  }

  async count(table: Table): Promise<number> {
    return this.#doing(() => Number(this.#all(countText(table))[0]?.number));
  }

  async page(table: Table, after: Row | null, limit: number): Promise<Row[]> {
    return this.#doing(() => {
      const rows = this.#all(
        pageText(table, after !== null, () => "?"),
        [...(after ?? []), limit],
      );
      return rows.map((row) => table.columns.map(({ name }) => row[name] ?? null));
    });
  }

  /** What is written is complete only by the last note, which is synced with all that stands before it. */
  async begin(): Promise<void> {
    this.#doing(() => this.#open().exec("PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE"));
  }

  async insert(table: Table, rows: readonly Row[]): Promise<void> {
    this.#doing(() => {
      const places = table.columns.map(() => "?").join(", ");
      const insert = this.#statement(`INSERT INTO "${table.name}" (${columnsText(table)}) VALUES (${places})`);
      for (const row of rows) insert.run(row);
    });
  }

  async commit(): Promise<void> {
    this.#doing(() => this.#open().exec("COMMIT"));
  }

  async clear(tables: readonly Table[]): Promise<void> {
    this.#doing(() => {
      const driver = this.#open();
      driver.exec("BEGIN IMMEDIATE");
      for (const table of tables) driver.exec(clearText(table));
      driver.exec("COMMIT");
    });
  }

  async settle(): Promise<void> {
    this.#doing(() => this.#open().exec("PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)"));
  }

  async close(): Promise<void> {
    this.#prepared.clear();
    this.#driver?.close();
    this.#driver = undefined;
    for (const lock of this.#locks.splice(0)) lock.release();
  }

  #open(): SqliteDriver {
    if (this.#driver !== undefined) return this.#driver;
    const fresh = !this.#readOnly && !existsSync(this.#file);
    const driver = openDriver(this.#file, { readOnly: this.#readOnly });
    this.#driver = driver;
    if (fresh) chmodSync(this.#file, 0o600);
    driver.exec("PRAGMA busy_timeout = 5000; PRAGMA cache_size = -65536");
    if (!this.#readOnly && !this.#detached) driver.exec("PRAGMA journal_mode = WAL");
    return driver;
  }

  #all(text: string, values: Row = []) {
    return this.#statement(text).all(values);
  }

  #statement(text: string): SqliteStatement {
    let statement = this.#prepared.get(text);
    if (statement === undefined) {
      statement = this.#open().prepare(text);
      this.#prepared.set(text, statement);
    }
    return statement;
  }

  #doing<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw fileRefusal(openingRefusal(error, this.#file), this.#file);
    }
  }
}
