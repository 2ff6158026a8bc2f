import type { AccessStore, ApiKey } from "../../access/access-store.js";
import type { Scope } from "../../access/principal.js";
import { notFound } from "../../shared/errors.js";
import { all, one, run } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import type { Database } from "../sql-ledger.js";

interface KeyRow {
  id: string;
  name: string;
  tenant: string;
  scopes: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

const COLUMNS = "id, name, tenant, scopes, created_at, expires_at, revoked_at";

const insertKey = sql(`INSERT INTO api_keys (id, hash, name, tenant, scopes, created_at, expires_at, revoked_at)
  VALUES (:id, :hash, :name, :tenant, :scopes, :createdAt, :expiresAt, NULL)`);
const allKeys = sql<KeyRow>(`SELECT ${COLUMNS} FROM api_keys ORDER BY id`);
const byHash = sql<KeyRow>(`SELECT ${COLUMNS} FROM api_keys WHERE hash = :hash`);
const revoke = sql<{ id: string }>(
  `UPDATE api_keys SET revoked_at = COALESCE(revoked_at, :now) WHERE id = :id RETURNING id`,
);

export function sqlAccessStore({ write, read, onKeyRevoked, onMissed }: Database): AccessStore {
  return {
    createKey: ({ key, hash }) =>
      write(function* () {
        const { id, name, tenant, createdAt, expiresAt } = key;
        const scopes = JSON.stringify(key.scopes);
        yield* run(insertKey, { id, hash, name, tenant, scopes, createdAt, expiresAt });
      }),
    listKeys: () =>
      read(function* () {
        return (yield* all(allKeys, {})).map(toKey);
      }),
    revokeKey: ({ id, now }) =>
      write(function* (effects) {
        if ((yield* one(revoke, { id, now })) === undefined) {
          throw notFound("key", id, "`nuncio key list` shows the keys");
        }
        effects.keyRevoked(id);
      }),
    onRevoked: (listener) => onKeyRevoked(listener),
    onMissed: (listener) => onMissed(listener),
    keyByHash: (hash) =>
      read(function* () {
        const row = yield* one(byHash, { hash });
        return row === undefined ? null : toKey(row);
      }),
  };
}

const toKey = (row: KeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  tenant: row.tenant,
  scopes: JSON.parse(row.scopes) as Scope[],
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
});
