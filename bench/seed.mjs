/** The personas of each tenant. Half of all tasks are of the tenant `default`, the others of `t0` to `t6`. */
export const PERSONAS = Array.from({ length: 20 }, (_, index) => `p${String(index).padStart(2, "0")}`);

/** Far enough away that nothing comes due while the bench runs. */
const FAR = "4102444800000";

/**
 * The SQL that fills an empty ledger with `count` tasks of thirty days. Four tasks make a context, of which the last was
 * delegated by the one before it. The newest are unfinished: of each four, one waits for its caller, one is pending,
 * and one waits for its pending child. Behind them everything has ended: two of a hundred failed, one of which is a dead
 * letter; one was canceled.
 *
 * With `oneCaller` all of them are one caller's at one persona, and have ended.
 */
export function seedStatements(count, { oneCaller = false } = {}) {
  const unfinished = oneCaller ? 0 : Math.min(12_000, Math.floor(count * 0.15) * 4);
  return [plan(count, unfinished, oneCaller), tasks, waits, events, submissions, deadLetters, "DROP TABLE seed"];
}

const plan = (count, unfinished, oneCaller) => `CREATE TEMP TABLE seed AS
  WITH RECURSIVE
  numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < ${count}),
  timed AS (
    SELECT i, ${oneCaller ? "0" : "i / 4"} AS c, ${oneCaller ? "1" : "i % 4"} AS k, i >= ${count - unfinished} AS open, lower(hex(randomblob(8))) AS random,
      (unixepoch() - 2592000) * 1000 + CAST(i * 2592000000.0 / ${count} AS INTEGER) AS at
    FROM numbers)
  SELECT i, k, open, at,
    CASE WHEN c % 2 = 0 THEN 'default' ELSE 't' || (c % 7) END AS tenant,
    printf('%08x-%04x-7%03x-8%s-%s', at >> 16, at & 65535, i & 4095, substr(random, 1, 3), substr(random, 4, 12)) AS id,
    printf('%08x-%04x-7000-8000-%012x', at >> 16, c & 65535, c) AS context_id,
    printf('p%02d', (c / 2 + 7 * k) % 20) AS persona,
    'user:' || (c % 500) AS principal,
    CASE
      WHEN open THEN CASE k WHEN 0 THEN 'waiting' WHEN 2 THEN 'waiting' ELSE 'pending' END
      WHEN i % 50 = 17 THEN 'failed'
      WHEN i % 100 = 41 THEN 'canceled'
      ELSE 'completed'
    END AS state
  FROM timed;
  CREATE UNIQUE INDEX seed_i ON seed (i)`;

/** The parent of a task, if it has one. Contexts are told apart by the tasks they begin with. */
const parent = (column) => `(SELECT p.${column} FROM seed p WHERE p.i = seed.i - 1)`;

const words = "'Please look into this one and tell what you find, as short as it can be said: case ' || i";
const result = `'[{"artifactId":"result","name":"result","parts":[{"text":"What was found, in a few sentences that an agent would '
  || 'write: the case is like the others, and nothing is left to do about it. It has the number ' || i || '."}]}]'`;

const tasks = `INSERT INTO tasks (tenant, id, context_id, persona, principal, trigger_kind, state, waiting_for,
    asking_child_id, parent_id, root_id, hop, turn, lane, blocked, attempt, max_attempts, resuming, fence, lease_owner,
    lease_until, run_at, wake_at, seq, retry_of, input_tokens, output_tokens, created_at, updated_at, artifacts, status_at, started)
  SELECT tenant, id, context_id, persona, CASE WHEN k = 3 THEN 'persona:' || ${parent("persona")} ELSE principal END,
    CASE WHEN k = 3 THEN 'delegation' ELSE 'a2a' END, state,
    CASE WHEN state <> 'waiting' THEN NULL WHEN k = 0 THEN 'input' ELSE 'reply' END,
    NULL, CASE WHEN k = 3 THEN ${parent("id")} END, CASE WHEN k = 3 THEN ${parent("id")} ELSE id END,
    k = 3, 1, CASE WHEN k < 3 THEN persona || '/' || principal || '/' || context_id END, 0,
    state <> 'pending', 3, 0, state <> 'pending', NULL, NULL, at, CASE WHEN state = 'waiting' AND k = 2 THEN ${FAR} END,
    CASE state WHEN 'pending' THEN 1 WHEN 'completed' THEN 4 ELSE 3 END, NULL, 0, 0, at, at,
    CASE state WHEN 'completed' THEN ${result} WHEN 'failed' THEN '[]' WHEN 'canceled' THEN '[]' END,
    CASE state WHEN 'pending' THEN at WHEN 'completed' THEN at + 4 ELSE at + 3 END, state <> 'pending'
  FROM seed ORDER BY tenant, id`;

const waits = `INSERT INTO waits (tenant, awaited_id, awaiter_id)
  SELECT tenant, id, ${parent("id")} FROM seed WHERE open AND k = 3`;

const said = (text) => `'"message":{"messageId":"' || id || '","role":"agent","parts":[{"text":"${text}"}]}'`;

const events = `INSERT INTO events (tenant, task_id, seq, at, type, format, body)
  WITH numbers (seq) AS (VALUES (1), (2), (3), (4))
  SELECT tenant, id, seq, at + seq,
    CASE WHEN seq = 1 THEN 'message' WHEN seq = 3 AND state = 'completed' THEN 'artifact' ELSE 'status' END, 1,
    CASE
      WHEN seq = 1 THEN '{"type":"message","message":{"messageId":"m-' || i || '","role":"user","parts":[{"text":"'
        || ${words} || '"}]}}'
      WHEN seq = 2 THEN '{"type":"status","state":"processing"}'
      WHEN seq = 4 THEN '{"type":"status","state":"completed"}'
      WHEN state = 'completed' THEN '{"type":"artifact","artifact":'
        || substr(${result}, 2, length(${result}) - 2) || ',"append":false,"lastChunk":true}'
      WHEN k = 0 AND open THEN '{"type":"status","state":"waiting","waitingFor":"input",' || ${said("which one?")} || '}'
      WHEN open THEN '{"type":"status","state":"waiting","waitingFor":"reply"}'
      ELSE '{"type":"status","state":"' || state || '",' || ${said("it went wrong")} || '}'
    END
  FROM seed JOIN numbers ON seq <= CASE state WHEN 'pending' THEN 1 WHEN 'completed' THEN 4 ELSE 3 END
  ORDER BY tenant, id, seq`;

const submissions = `INSERT INTO submissions (tenant, persona, principal, message_id, body_hash, task_id, at)
  SELECT tenant, persona, principal, 'm-' || i, lower(hex(randomblob(32))), id, at FROM seed WHERE k < 3
  ORDER BY tenant, persona, principal, 'm-' || i`;

const deadLetters = `INSERT INTO dead_letters (tenant, task_id, reason, at, retried_as)
  SELECT tenant, id, 'it went wrong', at, NULL FROM seed WHERE state = 'failed' AND i % 100 = 17 ORDER BY tenant, id`;
