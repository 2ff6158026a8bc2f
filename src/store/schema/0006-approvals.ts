/** What runs have asked the operator, and what the operator has decided. */
export const approvals = `
CREATE TABLE approvals (
  tenant     TEXT   NOT NULL,
  task_id    TEXT   NOT NULL,
  call_id    TEXT   NOT NULL,
  -- Of the tool and its arguments: with others it is another question.
  digest     TEXT   NOT NULL,
  id         TEXT   NOT NULL,
  root_id    TEXT   NOT NULL,
  persona    TEXT   NOT NULL,
  tool       TEXT   NOT NULL,
  arguments  TEXT   NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  decision   TEXT,
  reason     TEXT,
  decided_at BIGINT,
  PRIMARY KEY (tenant, task_id, call_id, digest)
) WITHOUT ROWID;
CREATE INDEX approvals_id ON approvals (id);
CREATE INDEX approvals_open ON approvals (id) WHERE decision IS NULL;
`;
