/**
 * What the operator has prepared: the plan as it was admitted, the files as they were then, who does which step, and
 * what it may cost. A file's content stands once per tenant, under the digest of its bytes, in base64.
 */
export const plans = `
CREATE TABLE plans (
  tenant           TEXT    NOT NULL,
  id               TEXT    NOT NULL,
  -- Rises with every change: whoever changes something names the one that was looked at.
  revision         INTEGER NOT NULL,
  state            TEXT    NOT NULL,
  title            TEXT    NOT NULL,
  plan             TEXT    NOT NULL,
  workspace        TEXT    NOT NULL,
  snapshot_digest  TEXT    NOT NULL,
  invocations      INTEGER NOT NULL,
  invocations_used INTEGER NOT NULL,
  token_units      BIGINT,
  -- What the checks of the last attempt to complete it came to.
  checks           TEXT,
  created_at       BIGINT  NOT NULL,
  updated_at       BIGINT  NOT NULL,
  completed_at     BIGINT,
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX plans_id ON plans (id);

CREATE TABLE blobs (
  tenant  TEXT    NOT NULL,
  digest  TEXT    NOT NULL,
  bytes   INTEGER NOT NULL,
  content TEXT    NOT NULL,
  PRIMARY KEY (tenant, digest)
) WITHOUT ROWID;

CREATE TABLE plan_files (
  tenant   TEXT    NOT NULL,
  plan_id  TEXT    NOT NULL,
  path     TEXT    NOT NULL,
  -- NULL for what was left out.
  digest   TEXT,
  bytes    BIGINT  NOT NULL,
  left_out TEXT,
  PRIMARY KEY (tenant, plan_id, path)
) WITHOUT ROWID;
CREATE INDEX plan_files_digest ON plan_files (tenant, digest) WHERE digest IS NOT NULL;

CREATE TABLE assignments (
  tenant           TEXT    NOT NULL,
  plan_id          TEXT    NOT NULL,
  id               TEXT    NOT NULL,
  step             TEXT    NOT NULL,
  -- The profile as it was admitted.
  profile          TEXT    NOT NULL,
  -- Who does it: one of the two.
  persona          TEXT,
  peer             TEXT,
  invocations      INTEGER NOT NULL,
  invocations_used INTEGER NOT NULL,
  -- How often it has been run.
  generation       INTEGER NOT NULL,
  created_at       BIGINT  NOT NULL,
  updated_at       BIGINT  NOT NULL,
  PRIMARY KEY (tenant, plan_id, id)
) WITHOUT ROWID;
CREATE INDEX assignments_id ON assignments (id);

CREATE TABLE assignment_runs (
  tenant        TEXT    NOT NULL,
  plan_id       TEXT    NOT NULL,
  assignment_id TEXT    NOT NULL,
  generation    INTEGER NOT NULL,
  child_id      TEXT    NOT NULL,
  -- The grant that a peer has spent for it.
  grant_id      TEXT,
  at            BIGINT  NOT NULL,
  PRIMARY KEY (tenant, plan_id, assignment_id, generation)
) WITHOUT ROWID;
CREATE INDEX assignment_runs_child ON assignment_runs (tenant, child_id);
`;
