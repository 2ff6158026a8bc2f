/** What was sent to peers, what is known of it, and what passed between us. */
export const peers = `
CREATE TABLE dispatches (
  tenant              TEXT    NOT NULL,
  task_id             TEXT    NOT NULL,
  run_id              TEXT    NOT NULL,
  peer                TEXT    NOT NULL,
  plan_id             TEXT    NOT NULL,
  assignment_id       TEXT    NOT NULL,
  revision            INTEGER NOT NULL,
  pin_digest          TEXT    NOT NULL,
  -- prepared, sending, accepted, refused, unknown
  state               TEXT    NOT NULL,
  remote_task_id      TEXT,
  remote_context_id   TEXT,
  -- What the peer said last of its task, and when it first said that it has ended.
  remote_state        TEXT,
  remote_state_at     BIGINT,
  remote_ended_at     BIGINT,
  -- We do nothing for it any more.
  local_ended_at      BIGINT,
  cancel_asked_at     BIGINT,
  cancel_answer       TEXT,
  cancel_answered_at  BIGINT,
  stream_opened_at    BIGINT,
  stream_closed_at    BIGINT,
  stream_end          TEXT,
  deadline_at         BIGINT,
  deadline_passed_at  BIGINT,
  -- It may still be at work: it takes one of the slots of its peer.
  holds_slot          INTEGER NOT NULL,
  -- The artifacts and the closing message, as they stood in the task that the peer showed when it had ended.
  result              TEXT,
  last_contact_at     BIGINT,
  last_error          TEXT,
  created_at          BIGINT  NOT NULL,
  updated_at          BIGINT  NOT NULL,
  PRIMARY KEY (tenant, task_id)
) WITHOUT ROWID;
CREATE INDEX dispatches_slot ON dispatches (peer, tenant, task_id) WHERE holds_slot = 1;
CREATE INDEX dispatches_plan ON dispatches (tenant, plan_id);
CREATE INDEX dispatches_contact ON dispatches (peer, last_contact_at);

-- One message to the peer each: the first, and the operator's answers.
CREATE TABLE dispatch_sends (
  tenant      TEXT    NOT NULL,
  task_id     TEXT    NOT NULL,
  turn        INTEGER NOT NULL,
  message_id  TEXT    NOT NULL,
  body_digest TEXT    NOT NULL,
  -- Path, digest and bytes of each file that it held.
  disclosed   TEXT    NOT NULL,
  -- sending, accepted, refused, unknown
  state       TEXT    NOT NULL,
  error       TEXT,
  intended_at BIGINT  NOT NULL,
  settled_at  BIGINT,
  PRIMARY KEY (tenant, task_id, turn)
) WITHOUT ROWID;

CREATE TABLE receipts (
  tenant  TEXT    NOT NULL,
  task_id TEXT    NOT NULL,
  number  INTEGER NOT NULL,
  at      BIGINT  NOT NULL,
  kind    TEXT    NOT NULL,
  facts   TEXT    NOT NULL,
  PRIMARY KEY (tenant, task_id, number)
) WITHOUT ROWID;
`;
