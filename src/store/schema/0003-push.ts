/**
 * Who is told of a task, and up to which event it has been. What it is owed are the events of the task itself: there is
 * nothing to be written when something happens.
 */
export const push = `
CREATE TABLE push_subscriptions (
  tenant      TEXT    NOT NULL,
  task_id     TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  principal   TEXT    NOT NULL,
  version     TEXT    NOT NULL,
  origin      TEXT    NOT NULL,
  -- The URL and what goes with it, sealed.
  sealed      TEXT    NOT NULL,
  created_at  BIGINT  NOT NULL,
  sent_seq    INTEGER NOT NULL,
  attempts    INTEGER NOT NULL,
  next_at     BIGINT  NOT NULL,
  last_error  TEXT,
  last_status INTEGER,
  last_at     BIGINT,
  -- Failed too often, or by the operator.
  disabled_at BIGINT,
  -- The task has ended, and its end has been told.
  done_at     BIGINT,
  -- Who tells it of something now; the fence rises with each claim, and when it is replaced.
  lease_owner TEXT,
  lease_until BIGINT,
  fence       INTEGER NOT NULL,
  PRIMARY KEY (tenant, task_id, id)
) WITHOUT ROWID;
CREATE INDEX push_live ON push_subscriptions (tenant, task_id, id) WHERE done_at IS NULL AND disabled_at IS NULL;
`;
