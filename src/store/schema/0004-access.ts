/** Sessions stand among the keys, since they are keys that end soon; tenants and the keys that agents sign with are new. */
export const access = `
ALTER TABLE api_keys ADD COLUMN kind TEXT NOT NULL DEFAULT 'key';
CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX api_keys_sessions ON api_keys (expires_at) WHERE kind = 'session';

-- Those that were made, and those that a key was made for. The tenant 'default' is there without a row.
CREATE TABLE tenants (
  name       TEXT   NOT NULL PRIMARY KEY,
  created_at BIGINT NOT NULL
) WITHOUT ROWID;
INSERT INTO tenants (name, created_at)
  SELECT tenant, MIN(created_at) FROM api_keys WHERE tenant <> 'default' GROUP BY tenant;

-- What agents sign their tokens with.
CREATE TABLE signing_keys (
  tenant         TEXT   NOT NULL,
  agent          TEXT   NOT NULL,
  kid            TEXT   NOT NULL,
  public_key     TEXT   NOT NULL,
  -- Opened by the key file of the daemon alone.
  sealed         TEXT   NOT NULL,
  created_at     BIGINT NOT NULL,
  -- Since when another one signs, and until when tokens that this one has signed count.
  retired_at     BIGINT,
  accepted_until BIGINT,
  changed_at     BIGINT NOT NULL,
  PRIMARY KEY (tenant, agent, kid)
) WITHOUT ROWID;
CREATE UNIQUE INDEX signing_keys_current ON signing_keys (tenant, agent) WHERE retired_at IS NULL;
CREATE INDEX signing_keys_changed ON signing_keys (changed_at);
`;
