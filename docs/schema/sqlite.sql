-- The schema of the ledger as the database tells it. Written by `npm run schema:dump`.

CREATE TABLE api_keys (
  id TEXT NOT NULL PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  tenant TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT,
  kind TEXT NOT NULL DEFAULT 'key'
) WITHOUT ROWID;

CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;

CREATE INDEX api_keys_sessions ON api_keys (expires_at) WHERE kind = 'session';

CREATE TABLE approvals (
  tenant TEXT NOT NULL,
  task_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  id TEXT NOT NULL,
  root_id TEXT NOT NULL,
  persona TEXT NOT NULL,
  tool TEXT NOT NULL,
  arguments TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  decision TEXT,
  reason TEXT,
  decided_at BIGINT,
  PRIMARY KEY (tenant, task_id, call_id, digest)
) WITHOUT ROWID;

CREATE INDEX approvals_id ON approvals (id);

CREATE INDEX approvals_open ON approvals (id) WHERE decision IS NULL;

CREATE TABLE assignment_runs (
  tenant TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  assignment_id TEXT NOT NULL,
  generation INTEGER NOT NULL,
  child_id TEXT NOT NULL,
  grant_id TEXT,
  at BIGINT NOT NULL,
  PRIMARY KEY (tenant, plan_id, assignment_id, generation)
) WITHOUT ROWID;

CREATE INDEX assignment_runs_child ON assignment_runs (tenant, child_id);

CREATE TABLE assignments (
  tenant TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  id TEXT NOT NULL,
  step TEXT NOT NULL,
  profile TEXT NOT NULL,
  persona TEXT,
  peer TEXT,
  invocations INTEGER NOT NULL,
  invocations_used INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, plan_id, id)
) WITHOUT ROWID;

CREATE INDEX assignments_id ON assignments (id);

CREATE TABLE blobs (
  tenant TEXT NOT NULL,
  digest TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (tenant, digest)
) WITHOUT ROWID;

CREATE TABLE dead_letters (
  tenant TEXT NOT NULL,
  task_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  at BIGINT NOT NULL,
  retried_as TEXT,
  PRIMARY KEY (tenant, task_id)
) WITHOUT ROWID;

CREATE TABLE dispatch_sends (
  tenant TEXT NOT NULL,
  task_id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  body_digest TEXT NOT NULL,
  disclosed TEXT NOT NULL,
  state TEXT NOT NULL,
  error TEXT,
  intended_at BIGINT NOT NULL,
  settled_at BIGINT,
  PRIMARY KEY (tenant, task_id, turn)
) WITHOUT ROWID;

CREATE TABLE dispatches (
  tenant TEXT NOT NULL,
  task_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  peer TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  assignment_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  pin_digest TEXT NOT NULL,
  state TEXT NOT NULL,
  remote_task_id TEXT,
  remote_context_id TEXT,
  remote_state TEXT,
  remote_state_at BIGINT,
  remote_ended_at BIGINT,
  local_ended_at BIGINT,
  cancel_asked_at BIGINT,
  cancel_answer TEXT,
  cancel_answered_at BIGINT,
  stream_opened_at BIGINT,
  stream_closed_at BIGINT,
  stream_end TEXT,
  deadline_at BIGINT,
  deadline_passed_at BIGINT,
  holds_slot INTEGER NOT NULL,
  result TEXT,
  last_contact_at BIGINT,
  last_error TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, task_id)
) WITHOUT ROWID;

CREATE INDEX dispatches_contact ON dispatches (peer, last_contact_at);

CREATE INDEX dispatches_plan ON dispatches (tenant, plan_id);

CREATE INDEX dispatches_slot ON dispatches (peer, tenant, task_id) WHERE holds_slot = 1;

CREATE TABLE events (
  tenant TEXT NOT NULL,
  task_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at BIGINT NOT NULL,
  type TEXT NOT NULL,
  format INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (tenant, task_id, seq)
) WITHOUT ROWID;

CREATE TABLE grants (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  peer TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  assignment_id TEXT NOT NULL,
  generation INTEGER NOT NULL,
  interface_tenant TEXT NOT NULL,
  skill TEXT NOT NULL,
  peer_client TEXT,
  credential_digest TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  message_id TEXT,
  body_hash TEXT,
  peer_context_id TEXT,
  task_id TEXT,
  spent_at BIGINT,
  revoked_at BIGINT,
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;

CREATE INDEX grants_assignment ON grants (tenant, assignment_id);

CREATE INDEX grants_credential ON grants (credential_digest);

CREATE INDEX grants_id ON grants (id);

CREATE INDEX grants_task ON grants (tenant, task_id) WHERE task_id IS NOT NULL;

CREATE TABLE journal (
  tenant TEXT NOT NULL,
  task_id TEXT NOT NULL,
  step INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  at BIGINT NOT NULL,
  format INTEGER NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (tenant, task_id, step)
) WITHOUT ROWID;

CREATE TABLE list_departures (
  tenant TEXT NOT NULL,
  persona TEXT NOT NULL,
  principal TEXT NOT NULL,
  number BIGINT NOT NULL,
  youngest BIGINT NOT NULL,
  PRIMARY KEY (tenant, persona, principal)
) WITHOUT ROWID;

CREATE TABLE meta (
  key TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE plan_files (
  tenant TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  path TEXT NOT NULL,
  digest TEXT,
  bytes BIGINT NOT NULL,
  left_out TEXT,
  PRIMARY KEY (tenant, plan_id, path)
) WITHOUT ROWID;

CREATE INDEX plan_files_digest ON plan_files (tenant, digest) WHERE digest IS NOT NULL;

CREATE TABLE plans (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  state TEXT NOT NULL,
  title TEXT NOT NULL,
  plan TEXT NOT NULL,
  workspace TEXT NOT NULL,
  snapshot_digest TEXT NOT NULL,
  invocations INTEGER NOT NULL,
  invocations_used INTEGER NOT NULL,
  token_units BIGINT,
  checks TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  completed_at BIGINT,
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;

CREATE INDEX plans_id ON plans (id);

CREATE TABLE push_subscriptions (
  tenant TEXT NOT NULL,
  task_id TEXT NOT NULL,
  id TEXT NOT NULL,
  principal TEXT NOT NULL,
  version TEXT NOT NULL,
  origin TEXT NOT NULL,
  sealed TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  sent_seq INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  next_at BIGINT NOT NULL,
  last_error TEXT,
  last_status INTEGER,
  last_at BIGINT,
  disabled_at BIGINT,
  done_at BIGINT,
  lease_owner TEXT,
  lease_until BIGINT,
  fence INTEGER NOT NULL,
  PRIMARY KEY (tenant, task_id, id)
) WITHOUT ROWID;

CREATE INDEX push_live ON push_subscriptions (tenant, task_id, id) WHERE done_at IS NULL AND disabled_at IS NULL;

CREATE TABLE receipts (
  tenant TEXT NOT NULL,
  task_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  at BIGINT NOT NULL,
  kind TEXT NOT NULL,
  facts TEXT NOT NULL,
  PRIMARY KEY (tenant, task_id, number)
) WITHOUT ROWID;

CREATE TABLE signing_keys (
  tenant TEXT NOT NULL,
  agent TEXT NOT NULL,
  kid TEXT NOT NULL,
  public_key TEXT NOT NULL,
  sealed TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  retired_at BIGINT,
  accepted_until BIGINT,
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, agent, kid)
) WITHOUT ROWID;

CREATE INDEX signing_keys_changed ON signing_keys (changed_at);

CREATE UNIQUE INDEX signing_keys_current ON signing_keys (tenant, agent) WHERE retired_at IS NULL;

CREATE TABLE submissions (
  tenant TEXT NOT NULL,
  persona TEXT NOT NULL,
  principal TEXT NOT NULL,
  message_id TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  task_id TEXT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (tenant, persona, principal, message_id)
) WITHOUT ROWID;

CREATE TABLE tasks (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  context_id TEXT NOT NULL,
  persona TEXT NOT NULL,
  principal TEXT NOT NULL,
  trigger_kind TEXT NOT NULL,
  state TEXT NOT NULL,
  waiting_for TEXT,
  asking_child_id TEXT,
  parent_id TEXT,
  root_id TEXT NOT NULL,
  hop INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  lane TEXT,
  blocked INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  resuming INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  lease_owner TEXT,
  lease_until BIGINT,
  run_at BIGINT NOT NULL,
  wake_at BIGINT,
  seq INTEGER NOT NULL,
  retry_of TEXT,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  artifacts TEXT,
  compacted INTEGER NOT NULL DEFAULT 0,
  status_at BIGINT NOT NULL DEFAULT 0,
  started INTEGER NOT NULL DEFAULT 0,
  unlisted INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, id)
);

CREATE INDEX tasks_children ON tasks (tenant, parent_id, id) WHERE parent_id IS NOT NULL;

CREATE INDEX tasks_context ON tasks (tenant, context_id, id);

CREATE INDEX tasks_delegated ON tasks (tenant, persona, state) WHERE lane IS NULL AND state IN ('pending', 'claimed', 'processing', 'waiting');

CREATE INDEX tasks_lane ON tasks (tenant, lane, id, state) WHERE lane IS NOT NULL AND state IN ('pending', 'claimed', 'processing', 'waiting');

CREATE INDEX tasks_listed_all ON tasks (tenant, persona, status_at, id, created_at) WHERE unlisted = 0;

CREATE INDEX tasks_listed_open ON tasks (tenant, persona, status_at, id, principal) WHERE state <> 'completed' AND unlisted < 1;

CREATE INDEX tasks_listed_own ON tasks (tenant, persona, principal, status_at, id, created_at) WHERE unlisted = 0;

CREATE INDEX tasks_runnable ON tasks (tenant, persona, blocked, run_at, id) WHERE state = 'pending';

CREATE INDEX tasks_tree ON tasks (tenant, root_id) WHERE parent_id IS NOT NULL;

CREATE INDEX tasks_waking ON tasks (wake_at) WHERE wake_at IS NOT NULL;

CREATE TABLE tenants (
  name TEXT NOT NULL PRIMARY KEY,
  created_at BIGINT NOT NULL
) WITHOUT ROWID;

CREATE TABLE waits (
  tenant TEXT NOT NULL,
  awaited_id TEXT NOT NULL,
  awaiter_id TEXT NOT NULL,
  PRIMARY KEY (tenant, awaited_id, awaiter_id)
) WITHOUT ROWID;

CREATE INDEX waits_awaiter ON waits (tenant, awaiter_id);
