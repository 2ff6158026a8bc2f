import type pg from "pg";

const TABLES = "tasks, events, journal, submissions, waits";
/** From here on the database's own housekeeping comes by often enough. */
const GROWN = 10_000;

/** `known` is what the planner believes, which is -1 of a table that was never looked at. */
const LOOK = `SELECT reltuples AS known, pg_relation_size(oid) / GREATEST(current_setting('block_size')::integer, 1) AS pages
  FROM pg_class WHERE oid = to_regclass('tasks')`;

/**
 * Statements that were planned on an empty ledger are planned for an empty ledger: they walk over what a tenant has, and
 * keep that plan until the tables are analyzed, which the database does by itself about once a minute. A young ledger is
 * therefore analyzed by its nodes as it grows; doing so twice at once harms nobody.
 */
export class YoungTables {
  readonly #pool: pg.Pool;
  #grown = false;
  #pages = 0;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** To be called now and then. */
  async look(): Promise<void> {
    if (this.#grown) return;
    try {
      const { rows } = await this.#pool.query(LOOK);
      const { known, pages } = rows[0] as { known: number; pages: number };
      this.#grown = known >= GROWN;
      if (this.#grown || pages < 2 * this.#pages || pages === 0) return;
      await this.#pool.query(`ANALYZE ${TABLES}`);
      this.#pages = pages;
    } catch {
      // The database is gone, or does not let us: it does so itself in time.
    }
  }
}
