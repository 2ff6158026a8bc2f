import type { NuncioError } from "../../shared/errors.js";
import type { Claim, Claimed, ClaimNext } from "../../tasks/ledger.js";
import { all, type Command, type Effects, one, run, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { allows, moves } from "../sql/transition.js";
import { announce } from "./append-events.js";
import { isFormatTooNew } from "./format.js";
import { loadClaim } from "./load-claim.js";
import { MOVED_COLUMNS, type MovedRow, TASK_COLUMNS, type TaskRow } from "./task-row.js";

/*
 * What may be claimed stands in one partial index, `tasks_runnable`, in the order in which it is claimed: a claim reads
 * as many entries as it takes, however many tasks the ledger holds. It is asked per persona, since a persona without
 * a free slot must not be scanned over.
 */

const OWN = `${moves("claim")}, blocked = 0, attempt = attempt + 1 - resuming, resuming = 0, fence = fence + 1,
    lease_owner = :owner, lease_until = :clock + :leaseMs, updated_at = :now`;

/** What another node is claiming at this moment is passed over: nobody waits, and no task is given twice. */
const claimOldest = sql<TaskRow>(`WITH oldest AS MATERIALIZED (
    SELECT id FROM tasks
    WHERE tenant = :tenant AND persona = :persona AND ${allows("claim")} AND blocked = 0 AND run_at <= :now
    ORDER BY run_at, id LIMIT :limit FOR UPDATE SKIP LOCKED)
  UPDATE tasks SET ${OWN} WHERE tenant = :tenant AND id IN (SELECT id FROM oldest)
  RETURNING ${TASK_COLUMNS}`);

const hurry = sql(`UPDATE tasks SET run_at = :now
  WHERE tenant = :tenant AND persona = :persona AND ${allows("claim")} AND blocked = 0 AND run_at > :latest`);

const nextRunnable = sql<{ id: string; run_at: number }>(`SELECT id, run_at FROM tasks
  WHERE tenant = :tenant AND persona = :persona AND ${allows("claim")} AND blocked = 0
  ORDER BY run_at, id LIMIT 1`);

export const claim: (command: ClaimNext) => Command<Claimed> = (command) =>
  function* (effects) {
    const { now, owner, leaseMs } = command;
    const claims: Claim[] = [];
    const more: Claimed["more"] = [];
    const due: Claimed["due"] = [];
    const unreadable: Claimed["unreadable"] = [];
    for (const persona of command.personas) {
      const key = { tenant: persona.tenant, persona: persona.name };
      const limit = Math.min(persona.free, command.limit - claims.length);
      if (limit > 0) {
        const rows = yield* all(claimOldest, { ...key, owner, leaseMs, now, limit });
        rows.sort((a, b) => a.run_at - b.run_at || (a.id < b.id ? -1 : 1));
        for (const row of rows) {
          const loaded = yield* loadOrPutBack(row, command.latestRunAt, effects);
          if ("refused" in loaded) {
            unreadable.push({ tenant: row.tenant, taskId: row.id, error: loaded.refused });
            continue;
          }
          announce(row, effects);
          claims.push(loaded);
        }
      }
      const next = yield* one(nextRunnable, key);
      if (next === undefined) continue;
      if (next.run_at > command.latestRunAt) {
        yield* run(hurry, { ...key, now, latest: command.latestRunAt });
        next.run_at = now;
      }
      const { tenant, name } = persona;
      if (next.run_at <= now) more.push({ tenant, name });
      else due.push({ tenant, name, at: next.run_at });
    }
    return { claims, more, due, unreadable };
  };

const putBack = sql<MovedRow>(`UPDATE tasks SET
    ${moves("requeue")}, resuming = 1, run_at = :runAt, lease_owner = NULL, lease_until = NULL
  WHERE tenant = :tenant AND id = :id AND ${allows("requeue")} AND fence = :fence
  RETURNING ${MOVED_COLUMNS}`);

/**
 * The claim of a task that has just been claimed. One that a newer version has written to goes back into the queue, until
 * `runAt`: that version may take it, and what else there is goes on. The claim does not count as an attempt.
 */
export function* loadOrPutBack(row: TaskRow, runAt: number, effects: Effects): Steps<Claim | { refused: NuncioError }> {
  try {
    return yield* loadClaim(row);
  } catch (error) {
    if (!isFormatTooNew(error)) throw error;
    const { tenant, id, fence } = row;
    const waiting = yield* one(putBack, { tenant, id, fence, runAt });
    if (waiting !== undefined) announce(waiting, effects);
    return { refused: error };
  }
}

/** True when nothing older of its persona is runnable: a task that is claimed as it becomes runnable must not overtake. */
export function* isOldest(task: Pick<TaskRow, "tenant" | "persona" | "run_at" | "id">, now: number): Steps<boolean> {
  const first = yield* one(nextRunnable, { tenant: task.tenant, persona: task.persona });
  if (first === undefined || first.run_at > now || first.run_at > task.run_at) return true;
  return first.run_at === task.run_at && first.id >= task.id;
}
