import type { ApiKey, KeyStore } from "../../access/access-store.js";
import type { Scope } from "../../access/principal.js";
import { notFound } from "../../shared/errors.js";
import { all, one, run } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import type { Database } from "../sql-ledger.js";
import { makeTenant } from "./tenants.js";

interface KeyRow {
  id: string;
  kind: string;
  name: string;
  tenant: string;
  scopes: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

const COLUMNS = "id, kind, name, tenant, scopes, created_at, expires_at, revoked_at";

const insertKey = sql(`INSERT INTO api_keys (id, kind, hash, name, tenant, scopes, created_at, expires_at, revoked_at)
  VALUES (:id, :kind, :hash, :name, :tenant, :scopes, :createdAt, :expiresAt, NULL)`);
const allKeys = sql<KeyRow>(`SELECT ${COLUMNS} FROM api_keys ORDER BY id`);
const byHash = sql<KeyRow>(`SELECT ${COLUMNS} FROM api_keys WHERE hash = :hash`);
const behind = sql<KeyRow & { hash: string }>(
  `SELECT ${COLUMNS}, hash FROM api_keys WHERE id > :after ORDER BY id LIMIT :limit`,
);
const revoked = sql<{ id: string }>("SELECT id FROM api_keys WHERE revoked_at >= :since");
const revoke = sql<{ id: string }>(
  `UPDATE api_keys SET revoked_at = COALESCE(revoked_at, :now) WHERE id = :id RETURNING id`,
);
const dropSessions = sql("DELETE FROM api_keys WHERE kind = 'session' AND expires_at < :before");

/** Sessions are made many times a day: those that have ended are shown for so long, ms. */
const ENDED_SESSIONS_MS = 7 * 86_400_000;

export function sqlKeyStore({ write, read, onKeyRevoked, onMissed }: Database): KeyStore {
  return {
    createKey: ({ key, hash }) =>
      write(function* () {
        const { id, kind, name, tenant, createdAt, expiresAt } = key;
        const scopes = JSON.stringify(key.scopes);
        if (kind === "session") yield* run(dropSessions, { before: createdAt - ENDED_SESSIONS_MS });
        const tenantMade = yield* makeTenant({ name: tenant, createdAt });
        yield* run(insertKey, { id, kind, hash, name, tenant, scopes, createdAt, expiresAt });
        return { tenantMade };
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
    keyByHash: (hash) =>
      read(function* () {
        const row = yield* one(byHash, { hash });
        return row === undefined ? null : toKey(row);
      }),
    keysAfter: (query) =>
      read(function* () {
        return (yield* all(behind, { ...query })).map((row) => ({ key: toKey(row), hash: row.hash }));
      }),
    revokedSince: (since) =>
      read(function* () {
        return (yield* all(revoked, { since })).map(({ id }) => id);
      }),
    onRevoked: (listener) => onKeyRevoked(listener),
    onMissed: (listener) => onMissed(listener),
  };
}

const toKey = (row: KeyRow): ApiKey => ({
  id: row.id,
  kind: row.kind as ApiKey["kind"],
  name: row.name,
  tenant: row.tenant,
  scopes: JSON.parse(row.scopes) as Scope[],
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
});
