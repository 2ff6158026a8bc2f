/** Which peers may come in, each once, for one prepared assignment. */
export const grants = `
CREATE TABLE grants (
  tenant            TEXT    NOT NULL,
  id                TEXT    NOT NULL,
  peer              TEXT    NOT NULL,
  plan_id           TEXT    NOT NULL,
  assignment_id     TEXT    NOT NULL,
  -- The generation of the assignment that it admits to.
  generation        INTEGER NOT NULL,
  interface_tenant  TEXT    NOT NULL,
  skill             TEXT    NOT NULL,
  peer_client       TEXT,
  credential_digest TEXT    NOT NULL,
  created_at        BIGINT  NOT NULL,
  expires_at        BIGINT  NOT NULL,
  -- Spent by this message, for this task.
  message_id        TEXT,
  body_hash         TEXT,
  -- What the peer calls the conversation.
  peer_context_id   TEXT,
  task_id           TEXT,
  spent_at          BIGINT,
  -- By the operator, or since the ledger was restored: it admits nobody any more.
  revoked_at        BIGINT,
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX grants_id ON grants (id);
CREATE INDEX grants_assignment ON grants (tenant, assignment_id);
CREATE INDEX grants_credential ON grants (credential_digest);
CREATE INDEX grants_task ON grants (tenant, task_id) WHERE task_id IS NOT NULL;
`;
