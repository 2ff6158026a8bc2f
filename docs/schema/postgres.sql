-- The schema of the ledger as the database tells it. Written by `npm run schema:dump`.

CREATE TABLE api_keys (
  id text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  scopes text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  kind text COLLATE "C" DEFAULT 'key'::text NOT NULL,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_hash_key UNIQUE (hash)
);

CREATE INDEX api_keys_revoked ON api_keys USING btree (revoked_at) WHERE (revoked_at IS NOT NULL);

CREATE INDEX api_keys_sessions ON api_keys USING btree (expires_at) WHERE (kind = 'session'::text);

CREATE TABLE approvals (
  tenant text COLLATE "C" NOT NULL,
  task_id text COLLATE "C" NOT NULL,
  call_id text COLLATE "C" NOT NULL,
  digest text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  root_id text COLLATE "C" NOT NULL,
  persona text COLLATE "C" NOT NULL,
  tool text COLLATE "C" NOT NULL,
  arguments text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  decision text COLLATE "C",
  reason text COLLATE "C",
  decided_at bigint,
  CONSTRAINT approvals_pkey PRIMARY KEY (tenant, task_id, call_id, digest)
);

CREATE INDEX approvals_id ON approvals USING btree (id);

CREATE INDEX approvals_open ON approvals USING btree (id) WHERE (decision IS NULL);

CREATE TABLE assignment_runs (
  tenant text COLLATE "C" NOT NULL,
  plan_id text COLLATE "C" NOT NULL,
  assignment_id text COLLATE "C" NOT NULL,
  generation integer NOT NULL,
  child_id text COLLATE "C" NOT NULL,
  grant_id text COLLATE "C",
  at bigint NOT NULL,
  CONSTRAINT assignment_runs_pkey PRIMARY KEY (tenant, plan_id, assignment_id, generation)
);

CREATE INDEX assignment_runs_child ON assignment_runs USING btree (tenant, child_id);

CREATE TABLE assignments (
  tenant text COLLATE "C" NOT NULL,
  plan_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  step text COLLATE "C" NOT NULL,
  profile text COLLATE "C" NOT NULL,
  persona text COLLATE "C",
  peer text COLLATE "C",
  invocations integer NOT NULL,
  invocations_used integer NOT NULL,
  generation integer NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  CONSTRAINT assignments_pkey PRIMARY KEY (tenant, plan_id, id)
);

CREATE INDEX assignments_id ON assignments USING btree (id);

CREATE TABLE blobs (
  tenant text COLLATE "C" NOT NULL,
  digest text COLLATE "C" NOT NULL,
  bytes integer NOT NULL,
  content text COLLATE "C" NOT NULL,
  CONSTRAINT blobs_pkey PRIMARY KEY (tenant, digest)
);

CREATE TABLE dead_letters (
  tenant text COLLATE "C" NOT NULL,
  task_id text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  retried_as text COLLATE "C",
  CONSTRAINT dead_letters_pkey PRIMARY KEY (tenant, task_id)
);

CREATE TABLE dispatch_sends (
  tenant text COLLATE "C" NOT NULL,
  task_id text COLLATE "C" NOT NULL,
  turn integer NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  body_digest text COLLATE "C" NOT NULL,
  disclosed text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  error text COLLATE "C",
  intended_at bigint NOT NULL,
  settled_at bigint,
  CONSTRAINT dispatch_sends_pkey PRIMARY KEY (tenant, task_id, turn)
);

CREATE TABLE dispatches (
  tenant text COLLATE "C" NOT NULL,
  task_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  peer text COLLATE "C" NOT NULL,
  plan_id text COLLATE "C" NOT NULL,
  assignment_id text COLLATE "C" NOT NULL,
  revision integer NOT NULL,
  pin_digest text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  remote_task_id text COLLATE "C",
  remote_context_id text COLLATE "C",
  remote_state text COLLATE "C",
  remote_state_at bigint,
  remote_ended_at bigint,
  local_ended_at bigint,
  cancel_asked_at bigint,
  cancel_answer text COLLATE "C",
  cancel_answered_at bigint,
  stream_opened_at bigint,
  stream_closed_at bigint,
  stream_end text COLLATE "C",
  deadline_at bigint,
  deadline_passed_at bigint,
  holds_slot integer NOT NULL,
  result text COLLATE "C",
  last_contact_at bigint,
  last_error text COLLATE "C",
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  CONSTRAINT dispatches_pkey PRIMARY KEY (tenant, task_id)
);

CREATE INDEX dispatches_contact ON dispatches USING btree (peer, last_contact_at);

CREATE INDEX dispatches_plan ON dispatches USING btree (tenant, plan_id);

CREATE INDEX dispatches_slot ON dispatches USING btree (peer, tenant, task_id) WHERE (holds_slot = 1);

CREATE TABLE events (
  tenant text COLLATE "C" NOT NULL,
  task_id text COLLATE "C" NOT NULL,
  seq integer NOT NULL,
  at bigint NOT NULL,
  type text COLLATE "C" NOT NULL,
  format integer NOT NULL,
  body text COLLATE "C" NOT NULL,
  CONSTRAINT events_pkey PRIMARY KEY (tenant, task_id, seq)
);

CREATE TABLE grants (
  tenant text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  peer text COLLATE "C" NOT NULL,
  plan_id text COLLATE "C" NOT NULL,
  assignment_id text COLLATE "C" NOT NULL,
  generation integer NOT NULL,
  interface_tenant text COLLATE "C" NOT NULL,
  skill text COLLATE "C" NOT NULL,
  peer_client text COLLATE "C",
  credential_digest text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  message_id text COLLATE "C",
  body_hash text COLLATE "C",
  peer_context_id text COLLATE "C",
  task_id text COLLATE "C",
  spent_at bigint,
  revoked_at bigint,
  CONSTRAINT grants_pkey PRIMARY KEY (tenant, id)
);

CREATE INDEX grants_assignment ON grants USING btree (tenant, assignment_id);

CREATE INDEX grants_credential ON grants USING btree (credential_digest);

CREATE INDEX grants_id ON grants USING btree (id);

CREATE INDEX grants_task ON grants USING btree (tenant, task_id) WHERE (task_id IS NOT NULL);

CREATE TABLE journal (
  tenant text COLLATE "C" NOT NULL,
  task_id text COLLATE "C" NOT NULL,
  step integer NOT NULL,
  turn integer NOT NULL,
  kind text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  format integer NOT NULL,
  data text COLLATE "C" NOT NULL,
  CONSTRAINT journal_pkey PRIMARY KEY (tenant, task_id, step)
);

CREATE TABLE list_departures (
  tenant text COLLATE "C" NOT NULL,
  persona text COLLATE "C" NOT NULL,
  principal text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  youngest bigint NOT NULL,
  CONSTRAINT list_departures_pkey PRIMARY KEY (tenant, persona, principal)
);

CREATE TABLE meta (
  key text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  CONSTRAINT meta_pkey PRIMARY KEY (key)
);

CREATE TABLE plan_files (
  tenant text COLLATE "C" NOT NULL,
  plan_id text COLLATE "C" NOT NULL,
  path text COLLATE "C" NOT NULL,
  digest text COLLATE "C",
  bytes bigint NOT NULL,
  left_out text COLLATE "C",
  CONSTRAINT plan_files_pkey PRIMARY KEY (tenant, plan_id, path)
);

CREATE INDEX plan_files_digest ON plan_files USING btree (tenant, digest) WHERE (digest IS NOT NULL);

CREATE TABLE plans (
  tenant text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  revision integer NOT NULL,
  state text COLLATE "C" NOT NULL,
  title text COLLATE "C" NOT NULL,
  plan text COLLATE "C" NOT NULL,
  workspace text COLLATE "C" NOT NULL,
  snapshot_digest text COLLATE "C" NOT NULL,
  invocations integer NOT NULL,
  invocations_used integer NOT NULL,
  token_units bigint,
  checks text COLLATE "C",
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  completed_at bigint,
  CONSTRAINT plans_pkey PRIMARY KEY (tenant, id)
);

CREATE INDEX plans_id ON plans USING btree (id);

CREATE TABLE push_subscriptions (
  tenant text COLLATE "C" NOT NULL,
  task_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  principal text COLLATE "C" NOT NULL,
  version text COLLATE "C" NOT NULL,
  origin text COLLATE "C" NOT NULL,
  sealed text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  sent_seq integer NOT NULL,
  attempts integer NOT NULL,
  next_at bigint NOT NULL,
  last_error text COLLATE "C",
  last_status integer,
  last_at bigint,
  disabled_at bigint,
  done_at bigint,
  lease_owner text COLLATE "C",
  lease_until bigint,
  fence integer NOT NULL,
  CONSTRAINT push_subscriptions_pkey PRIMARY KEY (tenant, task_id, id)
);

CREATE INDEX push_live ON push_subscriptions USING btree (tenant, task_id, id) WHERE ((done_at IS NULL) AND (disabled_at IS NULL));

CREATE TABLE receipts (
  tenant text COLLATE "C" NOT NULL,
  task_id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  at bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  facts text COLLATE "C" NOT NULL,
  CONSTRAINT receipts_pkey PRIMARY KEY (tenant, task_id, number)
);

CREATE TABLE schema_version (
  version integer NOT NULL
);

CREATE TABLE signing_keys (
  tenant text COLLATE "C" NOT NULL,
  agent text COLLATE "C" NOT NULL,
  kid text COLLATE "C" NOT NULL,
  public_key text COLLATE "C" NOT NULL,
  sealed text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  retired_at bigint,
  accepted_until bigint,
  changed_at bigint NOT NULL,
  CONSTRAINT signing_keys_pkey PRIMARY KEY (tenant, agent, kid)
);

CREATE INDEX signing_keys_changed ON signing_keys USING btree (changed_at);

CREATE UNIQUE INDEX signing_keys_current ON signing_keys USING btree (tenant, agent) WHERE (retired_at IS NULL);

CREATE TABLE submissions (
  tenant text COLLATE "C" NOT NULL,
  persona text COLLATE "C" NOT NULL,
  principal text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  body_hash text COLLATE "C" NOT NULL,
  task_id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  CONSTRAINT submissions_pkey PRIMARY KEY (tenant, persona, principal, message_id)
);

CREATE TABLE tasks (
  tenant text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  context_id text COLLATE "C" NOT NULL,
  persona text COLLATE "C" NOT NULL,
  principal text COLLATE "C" NOT NULL,
  trigger_kind text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  waiting_for text COLLATE "C",
  asking_child_id text COLLATE "C",
  parent_id text COLLATE "C",
  root_id text COLLATE "C" NOT NULL,
  hop integer NOT NULL,
  turn integer NOT NULL,
  lane text COLLATE "C",
  blocked integer NOT NULL,
  attempt integer NOT NULL,
  max_attempts integer NOT NULL,
  resuming integer NOT NULL,
  fence integer NOT NULL,
  lease_owner text COLLATE "C",
  lease_until bigint,
  run_at bigint NOT NULL,
  wake_at bigint,
  seq integer NOT NULL,
  retry_of text COLLATE "C",
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  artifacts text COLLATE "C",
  compacted integer DEFAULT 0 NOT NULL,
  status_at bigint DEFAULT 0 NOT NULL,
  started integer DEFAULT 0 NOT NULL,
  unlisted integer DEFAULT 0 NOT NULL,
  CONSTRAINT tasks_pkey PRIMARY KEY (tenant, id)
);

CREATE INDEX tasks_children ON tasks USING btree (tenant, parent_id, id) WHERE (parent_id IS NOT NULL);

CREATE INDEX tasks_context ON tasks USING btree (tenant, context_id, id);

CREATE INDEX tasks_delegated ON tasks USING btree (tenant, persona, state) WHERE ((lane IS NULL) AND (state = ANY (ARRAY['pending'::text, 'claimed'::text, 'processing'::text, 'waiting'::text])));

CREATE INDEX tasks_lane ON tasks USING btree (tenant, lane, id, state) WHERE ((lane IS NOT NULL) AND (state = ANY (ARRAY['pending'::text, 'claimed'::text, 'processing'::text, 'waiting'::text])));

CREATE INDEX tasks_listed_all ON tasks USING btree (tenant, persona, status_at, id, created_at) WHERE (unlisted = 0);

CREATE INDEX tasks_listed_open ON tasks USING btree (tenant, persona, status_at, id, principal) WHERE ((state <> 'completed'::text) AND (unlisted < 1));

CREATE INDEX tasks_listed_own ON tasks USING btree (tenant, persona, principal, status_at, id, created_at) WHERE (unlisted = 0);

CREATE INDEX tasks_runnable ON tasks USING btree (tenant, persona, blocked, run_at, id) WHERE (state = 'pending'::text);

CREATE INDEX tasks_tree ON tasks USING btree (tenant, root_id) WHERE (parent_id IS NOT NULL);

CREATE INDEX tasks_waking ON tasks USING btree (wake_at) WHERE (wake_at IS NOT NULL);

CREATE TABLE tenants (
  name text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  CONSTRAINT tenants_pkey PRIMARY KEY (name)
);

CREATE TABLE waits (
  tenant text COLLATE "C" NOT NULL,
  awaited_id text COLLATE "C" NOT NULL,
  awaiter_id text COLLATE "C" NOT NULL,
  CONSTRAINT waits_pkey PRIMARY KEY (tenant, awaited_id, awaiter_id)
);

CREATE INDEX waits_awaiter ON waits USING btree (tenant, awaiter_id);
