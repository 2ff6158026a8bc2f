import { Client } from "pg";
import type { SealedSigningKey } from "../../../src/access/agent-tokens/signing-key.js";
import { newApiKey } from "../../../src/access/api-key.js";
import { newP256Key, thumbprint } from "../../../src/access/jwt/p256-key.js";
import { newId } from "../../../src/shared/ids.js";
import { sqlAccessStore } from "../../../src/store/access/access-store.js";
import type { LedgerPlace } from "../../../src/store/copy/ledger-place.js";
import { openPostgres } from "../../../src/store/postgres/open-postgres.js";
import { type Database, sqlLedger } from "../../../src/store/sql-ledger.js";
import { openSqlite } from "../../../src/store/sqlite/open-sqlite.js";
import { World } from "../../../src/tasks/ledger-contract/world.contract.js";
import { PlannedWorld } from "../planned-world.js";
import { everyCrossing } from "./every-crossing.js";
import { everyState } from "./every-state.js";
import { rowsOf } from "./stored-ledger.js";

export type Kind = LedgerPlace["type"];

/** As a daemon would. */
export const open = async (place: LedgerPlace, useMoved = false): Promise<Database> =>
  place.type === "sqlite" ? openSqlite(place.file, { useMoved }) : openPostgres({ ...place, useMoved });

/** Fills it with a task in every state, something of everything that crosses the border of trust, and keys. */
export async function filled(place: LedgerPlace): Promise<void> {
  const database = place.type === "sqlite" ? openSqlite(place.file) : await openPostgres({ ...place, clock: "caller" });
  await everyState(new World(sqlLedger(database)));
  await everyCrossing(new PlannedWorld(database));
  const keys = sqlAccessStore(database);
  for (const name of ["ci", "console"]) {
    const key = {
      id: newId(),
      kind: "key" as const,
      name,
      tenant: "default",
      scopes: ["runs:execute" as const],
      expiresAt: null,
    };
    await keys.createKey({ key: { ...key, createdAt: 0, revokedAt: null }, hash: newApiKey().hash });
  }
  await keys.revokeKey({ id: (await keys.listKeys())[0]?.id as string, now: 0 });
  await keys.createTenant({ name: "acme", createdAt: 0 });
  await keys.firstSigningKey(signingKey());
  await database.close();
}

function signingKey(): SealedSigningKey {
  const { publicKey } = newP256Key();
  const agent = { tenant: "default", name: "desk" };
  const key = { ...agent, kid: thumbprint(publicKey), publicKey, createdAt: 0, retiredAt: null, acceptedUntil: null };
  return { key, sealed: "s1.key.AAAA" };
}

/** Every row of every table, read by other means than those that copy. */
export async function everything(place: LedgerPlace): Promise<Record<string, unknown[]>> {
  const tables = [
    "tasks",
    "events",
    "journal",
    "waits",
    "submissions",
    "dead_letters",
    "api_keys",
    "push_subscriptions",
    "list_departures",
    "tenants",
    "signing_keys",
    "approvals",
    "plans",
    "blobs",
    "plan_files",
    "assignments",
    "assignment_runs",
    "dispatches",
    "dispatch_sends",
    "receipts",
    "grants",
  ];
  const found: Record<string, unknown[]> = {};
  const database = await open(place, true);
  await database.close();
  if (place.type === "sqlite") {
    for (const table of tables) found[table] = rowsOf(place.file, `SELECT * FROM ${table}`);
  } else {
    const client = new Client({ connectionString: place.url });
    await client.connect();
    for (const table of tables) {
      const { rows } = await client.query(`SELECT row_to_json(t) AS row FROM ${place.schema}.${table} t`);
      found[table] = rows.map(({ row }) => row);
    }
    await client.end();
  }
  for (const rows of Object.values(found)) rows.sort((a, b) => (sorted(a) < sorted(b) ? -1 : 1));
  return found;
}
const sorted = (row: unknown) => JSON.stringify(Object.entries(row as object).sort());
