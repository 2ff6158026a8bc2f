import { JOURNAL_FORMAT } from "../../tasks/journal.js";
import { EVENT_FORMAT } from "../../tasks/task-event.js";
import { TERMINAL_STATES } from "../../tasks/task-state.js";
import { type Statement, sql } from "../sql/statement.js";
import { allows } from "../sql/transition.js";

/** More of one kind would not tell more. */
const MOST_OF_A_KIND = 10;

/** Something that is true of every ledger between two commands, and the query that finds where it is not. */
export interface Rule {
  /** What is wrong with each task that is found, as the end of a sentence about it. */
  readonly broken: string;
  readonly find: Statement<{ tenant: string; id: string }>;
}

const rule = (broken: string, query: string): Rule => ({
  broken,
  find: sql(`SELECT DISTINCT ${query} LIMIT ${MOST_OF_A_KIND}`),
});

const list = (states: readonly string[]): string => states.map((state) => `'${state}'`).join(", ");
const UNFINISHED = `t.${allows("cancel")}`;
const ENDED = `t.state IN (${list(TERMINAL_STATES)})`;
const RUNNING = `t.${allows("requeue")}`;
const ASKS = (task: string) => `${task}.state = 'waiting' AND ${task}.waiting_for IN ('input', 'auth')`;

/** The status event of this state; a fact is written with its type and state first. */
const says = (state: string) => `LIKE '{"type":"status","state":"${state}"%'`;
const SAYS_AN_END = TERMINAL_STATES.map((state) => `e.body ${says(state)}`).join(" OR ");

const EVENTS_OF = `SELECT tenant, task_id, count(*) AS number, min(seq) AS first, max(seq) AS last FROM events
  GROUP BY tenant, task_id`;
const STEPS_OF = `SELECT tenant, task_id, count(*) AS number, min(step) AS first, max(step) AS last FROM journal
  GROUP BY tenant, task_id`;
const OF_TASK = (rows: string) => `${rows}.tenant = t.tenant AND ${rows}.task_id = t.id`;

/** Rows of `table` whose task is not there. */
const orphans = (table: string, column = "task_id") =>
  `r.tenant AS tenant, r.${column} AS id FROM ${table} r LEFT JOIN tasks t ON t.tenant = r.tenant AND t.id = r.${column}
   WHERE t.id IS NULL`;

/**
 * Each is one statement, so that it sees one moment of a ledger that is being written, on either database. All of them
 * read tables from end to end.
 */
export const RULES: readonly Rule[] = [
  // Events and journal
  rule(
    "its events are not numbered from 1 to its last one without a gap",
    `t.tenant, t.id FROM tasks t LEFT JOIN (${EVENTS_OF}) e ON ${OF_TASK("e")}
     WHERE e.number IS NULL OR e.first <> 1 OR e.last <> t.seq OR (t.compacted = 0 AND e.number <> t.seq)`,
  ),
  rule(
    "its first event is not the message that made it",
    `t.tenant, t.id FROM tasks t JOIN events e ON ${OF_TASK("e")} AND e.seq = 1 WHERE e.type <> 'message'`,
  ),
  rule(
    "it has ended, and its last event does not say so",
    `t.tenant, t.id FROM tasks t JOIN events e ON ${OF_TASK("e")} AND e.seq = t.seq
     WHERE ${ENDED} AND NOT (e.type = 'status' AND e.body LIKE '%"state":"' || t.state || '"%')`,
  ),
  rule(
    "it went on after an event that ended it",
    `t.tenant, t.id FROM tasks t JOIN events e ON ${OF_TASK("e")}
     WHERE e.type = 'status' AND (${SAYS_AN_END}) AND (e.seq < t.seq OR NOT ${ENDED})`,
  ),
  rule(
    "its journal is not numbered from 1 without a gap",
    `t.tenant, t.id FROM tasks t JOIN (${STEPS_OF}) j ON ${OF_TASK("j")} WHERE j.first <> 1 OR j.last <> j.number`,
  ),
  rule(
    "its events or its journal were written by a newer version",
    `x.tenant, x.id FROM (
       SELECT tenant, task_id AS id FROM events WHERE format > ${EVENT_FORMAT}
       UNION SELECT tenant, task_id AS id FROM journal WHERE format > ${JOURNAL_FORMAT}) x`,
  ),

  // What belongs to no task
  rule("it has events, and is not there", orphans("events")),
  rule("it has journal steps, and is not there", orphans("journal")),
  rule("it is a dead letter, and is not there", orphans("dead_letters")),
  rule("it is awaited, and is not there", orphans("waits", "awaited_id")),
  rule("it has push notifications, and is not there", orphans("push_subscriptions")),
  rule("the operator was asked about it, and it is not there", orphans("approvals")),
  rule("it was given to a peer, and is not there", orphans("dispatches")),

  // A row says one thing
  rule(
    "it has a lease without running, or runs without one",
    `t.tenant, t.id FROM tasks t
     WHERE (${RUNNING} AND (t.lease_owner IS NULL OR t.lease_until IS NULL OR t.fence = 0))
        OR (NOT ${RUNNING} AND (t.lease_owner IS NOT NULL OR t.lease_until IS NOT NULL))`,
  ),
  rule(
    "it says for what it waits without waiting, or waits and does not say for what",
    `t.tenant, t.id FROM tasks t
     WHERE (t.state = 'waiting' AND t.waiting_for IS NULL)
        OR (t.state <> 'waiting' AND (t.waiting_for IS NOT NULL OR t.asking_child_id IS NOT NULL OR t.wake_at IS NOT NULL))`,
  ),
  rule(
    "it has ended without its artifacts, or has them before its end",
    `t.tenant, t.id FROM tasks t
     WHERE (${ENDED} AND t.artifacts IS NULL) OR (NOT ${ENDED} AND t.artifacts IS NOT NULL)`,
  ),
  rule(
    "lists do not show it at the time of its status",
    `t.tenant, t.id FROM tasks t JOIN events e ON ${OF_TASK("e")} AND e.seq = t.seq
     WHERE e.type = 'status' AND t.status_at <> CASE WHEN e.at > t.created_at THEN e.at ELSE t.created_at END`,
  ),
  rule(
    "it is not noted rightly whether an attempt of it has run",
    `t.tenant, t.id FROM tasks t LEFT JOIN (SELECT DISTINCT e.tenant, e.task_id FROM events e
       WHERE e.type = 'status' AND e.body ${says("processing")}) e ON ${OF_TASK("e")}
     WHERE t.started <> CASE WHEN e.task_id IS NULL THEN 0 ELSE 1 END`,
  ),
  rule(
    "no list shows it, and its caller was given it",
    `t.tenant, t.id FROM tasks t JOIN events e ON ${OF_TASK("e")} AND e.seq = t.seq
     WHERE t.unlisted = 1 AND (t.state IN ('failed', 'rejected', 'canceled') OR (${ASKS("t")})
       OR (t.state = 'completed' AND e.body NOT LIKE '%"message":%'))`,
  ),
  rule(
    "it counts more attempts than it has, or runs without one",
    `t.tenant, t.id FROM tasks t WHERE t.attempt > t.max_attempts OR (${RUNNING} AND t.attempt = 0)`,
  ),

  // Everything that is unfinished has what it needs to go on
  rule(
    "it is held back behind a task of its context, and none is before it",
    `t.tenant, t.id FROM tasks t
     WHERE t.blocked = 1 AND (t.state <> 'pending' OR NOT EXISTS (
       SELECT 1 FROM tasks h WHERE h.tenant = t.tenant AND h.lane = t.lane AND h.lane IS NOT NULL AND h.id <> t.id
         AND h.${allows("cancel")} AND h.blocked = 0 AND NOT (${ASKS("h")})))`,
  ),
  rule(
    "another task of its context runs, or may run, at the same time",
    `t.tenant, min(t.id) AS id FROM tasks t
     WHERE t.lane IS NOT NULL AND ${UNFINISHED} AND t.state <> 'waiting' AND t.blocked = 0
     GROUP BY t.tenant, t.lane HAVING count(*) > 1`,
  ),
  rule(
    "it waits for tasks that have all ended",
    `t.tenant, t.id FROM tasks t
     WHERE t.state = 'waiting' AND (t.asking_child_id IS NOT NULL OR (t.waiting_for = 'reply' AND (
         -- What waits for nobody here, but looks after somebody outside from time to time, has its time alone.
         t.wake_at IS NULL OR EXISTS (SELECT 1 FROM waits w WHERE w.tenant = t.tenant AND w.awaiter_id = t.id))))
       AND NOT EXISTS (
       SELECT 1 FROM waits w JOIN tasks a ON a.tenant = w.tenant AND a.id = w.awaited_id
       WHERE w.tenant = t.tenant AND w.awaiter_id = t.id AND a.${allows("cancel")})`,
  ),
  rule(
    "it is noted as awaiting a task, and does not wait",
    `w.tenant AS tenant, w.awaiter_id AS id FROM waits w
     LEFT JOIN tasks t ON t.tenant = w.tenant AND t.id = w.awaiter_id WHERE t.id IS NULL OR t.state <> 'waiting'`,
  ),
  rule(
    "it relays a question that nobody asks",
    `t.tenant, t.id FROM tasks t LEFT JOIN tasks c ON c.tenant = t.tenant AND c.id = t.asking_child_id
     WHERE t.asking_child_id IS NOT NULL AND (c.id IS NULL OR NOT (${ASKS("c")}))`,
  ),

  // Who belongs to whom
  rule(
    "its parent is not there, or does not agree about root, depth and context",
    `t.tenant, t.id FROM tasks t LEFT JOIN tasks p ON p.tenant = t.tenant AND p.id = t.parent_id
     WHERE t.parent_id IS NOT NULL
       AND (p.id IS NULL OR p.root_id <> t.root_id OR p.hop + 1 <> t.hop OR p.context_id <> t.context_id)`,
  ),
  rule(
    "it has no parent, and is not its own root",
    `t.tenant, t.id FROM tasks t WHERE t.parent_id IS NULL AND t.root_id <> t.id`,
  ),
  rule(
    "the message that made it is not known: sent again, it would make another task",
    `t.tenant, t.id FROM tasks t LEFT JOIN submissions s ON ${OF_TASK("s")}
     WHERE t.parent_id IS NULL AND t.trigger_kind IN ('a2a', 'cli', 'api') AND s.task_id IS NULL`,
  ),
  rule(
    "it is a dead letter, and has not failed",
    `t.tenant, t.id FROM dead_letters d JOIN tasks t ON ${OF_TASK("d")} WHERE t.state <> 'failed'`,
  ),
  rule(
    "somebody was notified of more than it has, or of its end although it has not ended",
    `t.tenant, t.id FROM push_subscriptions p JOIN tasks t ON ${OF_TASK("p")}
     WHERE p.sent_seq > t.seq OR p.sent_seq < 0 OR (p.done_at IS NOT NULL AND (p.sent_seq <> t.seq OR NOT ${ENDED}))`,
  ),
  rule(
    "it was retried more than once",
    `t.tenant, t.retry_of AS id FROM tasks t
     WHERE t.retry_of IS NOT NULL GROUP BY t.tenant, t.retry_of HAVING count(*) > 1`,
  ),

  // What the operator decides
  rule(
    "it waits for an approval that nobody is asked for",
    `t.tenant, t.id FROM tasks t WHERE t.waiting_for = 'approval' AND NOT EXISTS (
       SELECT 1 FROM approvals a WHERE ${OF_TASK("a")} AND a.decision IS NULL)`,
  ),
  rule(
    "the operator is asked about it, and it has ended",
    `t.tenant, t.id FROM approvals a JOIN tasks t ON ${OF_TASK("a")} WHERE a.decision IS NULL AND ${ENDED}`,
  ),

  // What was planned
  rule(
    "it is a run of a planned task that is not complete, and is not there",
    `r.tenant, r.child_id AS id FROM assignment_runs r JOIN plans p ON p.tenant = r.tenant AND p.id = r.plan_id
     LEFT JOIN tasks t ON t.tenant = r.tenant AND t.id = r.child_id WHERE p.completed_at IS NULL AND t.id IS NULL`,
  ),
  rule(
    "it is a planned task that has used more than it may, or less than its assignments",
    `p.tenant, p.id FROM plans p WHERE p.invocations_used > p.invocations OR p.invocations_used <> (
       SELECT COALESCE(sum(a.invocations_used), 0) FROM assignments a WHERE a.tenant = p.tenant AND a.plan_id = p.id)`,
  ),
  rule(
    "it is a planned task whose snapshot lacks what a file of it held",
    `f.tenant, f.plan_id AS id FROM plan_files f LEFT JOIN blobs b ON b.tenant = f.tenant AND b.digest = f.digest
     WHERE f.digest IS NOT NULL AND b.digest IS NULL`,
  ),
  rule(
    "it is a planned task whose runs are not counted from 1 without a gap",
    `a.tenant, a.plan_id AS id FROM assignments a WHERE a.generation <> (
       SELECT count(*) FROM assignment_runs r WHERE r.tenant = a.tenant AND r.plan_id = a.plan_id
         AND r.assignment_id = a.id AND r.generation BETWEEN 1 AND a.generation)`,
  ),
  rule(
    "a grant was spent for it, and it is no run of what was granted",
    `g.tenant, g.task_id AS id FROM grants g JOIN plans p ON p.tenant = g.tenant AND p.id = g.plan_id
     LEFT JOIN assignment_runs r ON r.tenant = g.tenant AND r.child_id = g.task_id AND r.grant_id = g.id
       AND r.assignment_id = g.assignment_id
     WHERE g.task_id IS NOT NULL AND r.child_id IS NULL`,
  ),

  // What passed between us and a peer
  rule(
    "its receipts are not numbered from 1 without a gap",
    `x.tenant, x.id FROM (SELECT tenant, task_id AS id, count(*) AS number, min(number) AS first, max(number) AS last
       FROM receipts GROUP BY tenant, task_id) x WHERE x.first <> 1 OR x.last <> x.number`,
  ),
  rule(
    "what is known of its dispatch is not what is known of its last message",
    `d.tenant, d.task_id AS id FROM dispatches d LEFT JOIN (SELECT tenant, task_id, max(turn) AS turn
       FROM dispatch_sends GROUP BY tenant, task_id) l ON l.tenant = d.tenant AND l.task_id = d.task_id
     LEFT JOIN dispatch_sends s ON s.tenant = d.tenant AND s.task_id = d.task_id AND s.turn = l.turn
     WHERE (s.turn IS NULL AND d.state NOT IN ('prepared', 'unknown'))
       OR (s.turn = 1 AND s.state <> d.state AND NOT (d.state = 'unknown' AND EXISTS (SELECT 1 FROM receipts r
         WHERE r.tenant = d.tenant AND r.task_id = d.task_id AND r.kind = 'restored')))`,
  ),
  rule(
    "its peer has shown it as ended, and it takes a slot of the peer",
    `d.tenant, d.task_id AS id FROM dispatches d WHERE d.remote_ended_at IS NOT NULL AND d.holds_slot = 1`,
  ),
];
