import type { ClientBase } from "pg";
import { connectingRefusal } from "./connecting-refusal.js";

const LOOK = `SELECT to_regclass('schema_version') IS NOT NULL AS known,
  (SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = $1) AS usable`;

/** Whether the schema that the connection looks in holds a ledger. What this user may not look into is refused, and is not empty. */
export async function hasLedger(client: Pick<ClientBase, "query">, schema: string, place: string): Promise<boolean> {
  const { rows } = await client.query(LOOK, [schema]);
  const { known, usable } = rows[0] as { known: boolean; usable: boolean | null };
  if (usable === false) throw connectingRefusal({ code: "3F000" }, place);
  return known;
}
