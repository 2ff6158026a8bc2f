import type { SqlValue } from "../sql/statement.js";
import type { Marks, MetaChanges } from "./marks.js";
import type { Table } from "./table.js";

/** Values of a table's columns, in their order. */
export type Row = SqlValue[];

/** One end of a copy: a ledger on either database, as rows and nothing more. */
export interface LedgerSide {
  /** Where it is, without user and password. */
  readonly place: string;
  /** Keeps daemons and other copies away until `close`; throws when there are any. */
  takeAlone(): Promise<void>;
  /** Schema version; 0 when there is no ledger. */
  version(): Promise<number>;
  /** Makes the tables, or brings them up to a version. */
  migrate(version: number): Promise<void>;
  tables(): Promise<Table[]>;

  marks(): Promise<Marks>;
  /** One durable transaction. */
  note(changes: MetaChanges): Promise<void>;

  /** From here on until `endReading` all reads see one moment. */
  beginReading(): Promise<void>;
  endReading(): Promise<void>;
  count(table: Table): Promise<number>;
  /** The first rows behind the one with this key, in the order of the key. */
  page(table: Table, after: Row | null, limit: number): Promise<Row[]>;

  begin(): Promise<void>;
  insert(table: Table, rows: readonly Row[]): Promise<void>;
  commit(): Promise<void>;
  /** Deletes everything but the marks. */
  clear(tables: readonly Table[]): Promise<void>;
  /** After the last row: what was written is on disk, and the database knows how much there is. */
  settle(): Promise<void>;

  /** Gives up what is open. */
  close(): Promise<void>;
}
