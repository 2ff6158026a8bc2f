import type { QueueFacts } from "../../tasks/ledger.js";
import { all, type Command, one } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { toApproval } from "./approvals/approval-row.js";
import { openBelow } from "./approvals/open.js";
import { findTask } from "./find-task.js";
import { TASK_COLUMNS, type TaskRow, toTask, UNFINISHED } from "./task-row.js";

/** Counting stops here: beyond it the sentence says "more than". */
const MOST_AHEAD = 1000;
const MOST_APPROVALS = 20;

const laneHolder = sql<TaskRow>(`SELECT ${TASK_COLUMNS} FROM tasks
  WHERE tenant = :tenant AND lane = :lane AND lane IS NOT NULL AND id <> :id AND ${UNFINISHED} AND blocked = 0
    AND (waiting_for IS NULL OR waiting_for NOT IN ('input', 'auth'))
  LIMIT 1`);

const ahead = sql<{ count: number }>(`SELECT count(*) AS count FROM (
    SELECT 1 FROM tasks
    WHERE tenant = :tenant AND persona = :persona AND state = 'pending' AND blocked = 0
      AND (run_at < :runAt OR (run_at = :runAt AND id < :id))
    LIMIT ${MOST_AHEAD}) AS older`);

const awaitedBy = sql<TaskRow>(`SELECT ${TASK_COLUMNS} FROM tasks
  WHERE tenant = :tenant AND ${UNFINISHED}
    AND id IN (SELECT awaited_id FROM waits WHERE tenant = :tenant AND awaiter_id = :id)
  ORDER BY id LIMIT 20`);

export const queueFacts: (tenant: string, id: string) => Command<QueueFacts | null> = (tenant, id) =>
  function* () {
    const row = yield* findTask(tenant, id);
    if (row === undefined) return null;
    const behind = row.blocked === 1 ? yield* one(laneHolder, { tenant, lane: row.lane, id }) : undefined;
    const older = yield* one(ahead, { tenant, persona: row.persona, runAt: row.run_at, id });
    const awaited = yield* all(awaitedBy, { tenant, id });
    return {
      task: toTask(row),
      maxAttempts: row.max_attempts,
      leaseOwner: row.lease_owner,
      leaseUntil: row.lease_until,
      wakeAt: row.wake_at,
      behind: behind === undefined ? null : toTask(behind),
      ahead: row.state === "pending" ? (older?.count ?? 0) : 0,
      awaited: awaited.map(toTask),
      approvals: row.state === "waiting" ? (yield* openBelow(row, MOST_APPROVALS)).map(toApproval) : [],
    };
  };
