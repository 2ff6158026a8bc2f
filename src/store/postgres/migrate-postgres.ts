import type { ClientBase } from "pg";
import { ledgerTooNew, MIGRATIONS } from "../schema/migrations.js";
import { migrationForPostgres } from "./dialect.js";

/** Of two nodes that start at once on an old ledger, one waits here and then finds the work done. */
const MIGRATION_LOCK = "SELECT pg_advisory_xact_lock(3, hashtext($1))";

/**
 * Brings a ledger up to date in `schema`, which is made when it is not there. Each migration and its version are one
 * transaction, which looks under the lock which one comes next: if we die between two, the next start continues.
 */
export async function migratePostgres(client: ClientBase, schema: string): Promise<void> {
  for (;;) {
    await client.query("BEGIN");
    try {
      // Rebuilding the index of a large ledger takes as long as it takes.
      await client.query("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0");
      await client.query(MIGRATION_LOCK, [schema]);
      const version = await schemaVersion(client, schema);
      if (version > MIGRATIONS.length) throw ledgerTooNew(version, MIGRATIONS.length);
      const next = MIGRATIONS[version];
      if (next !== undefined) {
        await client.query(migrationForPostgres(next));
        await client.query("UPDATE schema_version SET version = $1", [version + 1]);
      }
      await client.query("COMMIT");
      if (version + 1 >= MIGRATIONS.length) return;
    } catch (error) {
      await client.query("ROLLBACK").catch(() => {});
      throw error;
    }
  }
}

/** The version of the ledger; makes the schema, and the table that holds the version, when they are missing. */
async function schemaVersion(client: ClientBase, schema: string): Promise<number> {
  // Asked first, since an operator may have made the schema for a user who may not make one.
  const { rowCount } = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
  if (rowCount === 0) await client.query(`CREATE SCHEMA ${client.escapeIdentifier(schema)}`);
  const table = await client.query("SELECT to_regclass('schema_version') AS name");
  if (table.rows[0]?.name === null) {
    await client.query("CREATE TABLE schema_version (version INTEGER NOT NULL)");
    await client.query("INSERT INTO schema_version (version) VALUES (0)");
  }
  const { rows } = await client.query("SELECT version FROM schema_version");
  return Number(rows[0]?.version ?? 0);
}
