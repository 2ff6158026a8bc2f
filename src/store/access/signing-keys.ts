import type { SealedSigningKey, SigningKey, SigningKeyStore } from "../../access/agent-tokens/signing-key.js";
import type { P256Key } from "../../access/jwt/p256-key.js";
import { all, one, run, type Steps } from "../sql/command.js";
import { lockSigner } from "../sql/locks.js";
import { sql } from "../sql/statement.js";
import type { Database } from "../sql-ledger.js";

interface SigningKeyRow {
  tenant: string;
  agent: string;
  kid: string;
  public_key: string;
  created_at: number;
  retired_at: number | null;
  accepted_until: number | null;
}

const COLUMNS = "tenant, agent, kid, public_key, created_at, retired_at, accepted_until";
const AGENT = "tenant = :tenant AND agent = :agent";

const current = sql<SigningKeyRow & { sealed: string }>(
  `SELECT ${COLUMNS}, sealed FROM signing_keys WHERE ${AGENT} AND retired_at IS NULL`,
);
const counting = sql<SigningKeyRow>(`SELECT ${COLUMNS} FROM signing_keys
  WHERE ${AGENT} AND (accepted_until IS NULL OR accepted_until > :now) ORDER BY created_at, kid`);
const changed = sql<SigningKeyRow>(`SELECT ${COLUMNS} FROM signing_keys WHERE changed_at >= :since`);
const insert = sql(`INSERT INTO signing_keys
  (tenant, agent, kid, public_key, sealed, created_at, retired_at, accepted_until, changed_at)
  VALUES (:tenant, :agent, :kid, :publicKey, :sealed, :createdAt, NULL, NULL, :createdAt)`);
const retire =
  sql(`UPDATE signing_keys SET retired_at = COALESCE(retired_at, :now), changed_at = :now, accepted_until = :until
  WHERE ${AGENT} AND (accepted_until IS NULL OR accepted_until > :until)`);
const forget = sql(`DELETE FROM signing_keys WHERE ${AGENT} AND accepted_until < :before`);

/** A key that has ended stays for so long: nodes that missed its end find it so, ms. */
const ENDED_KEYS_MS = 86_400_000;

export function sqlSigningKeyStore({ write, read }: Database): SigningKeyStore {
  return {
    signingKey: ({ tenant, name }) => read(() => currentKey(tenant, name)),
    firstSigningKey: (made) =>
      write(function* () {
        const { tenant, name } = made.key;
        yield* lockSigner(tenant, name);
        const there = yield* currentKey(tenant, name);
        if (there !== null) return there;
        yield* insertKey(made);
        return made;
      }),
    rotateSigningKey: ({ now, acceptedUntil, ...made }) =>
      write(function* (effects) {
        const { tenant, name: agent } = made.key;
        yield* lockSigner(tenant, agent);
        const before = (yield* all(counting, { tenant, agent, now })).map(toSigningKey);
        yield* run(retire, { tenant, agent, now, until: acceptedUntil });
        const after = new Set((yield* all(counting, { tenant, agent, now })).map(({ kid }) => kid));
        yield* run(forget, { tenant, agent, before: now - ENDED_KEYS_MS });
        yield* insertKey(made);
        // What one of them has signed is worth nothing from here on.
        for (const { kid } of before) if (!after.has(kid)) effects.keyRevoked(kid);
        return before;
      }),
    signingKeysOf: ({ tenant, name, now }) =>
      read(function* () {
        return (yield* all(counting, { tenant, agent: name, now })).map(toSigningKey);
      }),
    signingKeysSince: (since) =>
      read(function* () {
        return (yield* all(changed, { since })).map(toSigningKey);
      }),
  };
}

function* currentKey(tenant: string, agent: string): Steps<SealedSigningKey | null> {
  const row = yield* one(current, { tenant, agent });
  return row === undefined ? null : { key: toSigningKey(row), sealed: row.sealed };
}

function* insertKey({ key, sealed }: SealedSigningKey): Steps<void> {
  const { tenant, name: agent, kid, createdAt } = key;
  yield* run(insert, { tenant, agent, kid, publicKey: JSON.stringify(key.publicKey), sealed, createdAt });
}

const toSigningKey = (row: SigningKeyRow): SigningKey => ({
  tenant: row.tenant,
  name: row.agent,
  kid: row.kid,
  publicKey: JSON.parse(row.public_key) as P256Key,
  createdAt: row.created_at,
  retiredAt: row.retired_at,
  acceptedUntil: row.accepted_until,
});
