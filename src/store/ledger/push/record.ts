import type { PushDelivered, PushFailed } from "../../../tasks/push-ledger.js";
import { type Command, one } from "../../sql/command.js";
import { sql } from "../../sql/statement.js";
import { ENDED } from "../task-row.js";
import { keyParams, THIS } from "./push-row.js";

const HELD = `${THIS} AND lease_owner = :owner AND fence = :fence`;

/** A task that has ended never gets another event: whoever has been told of the last one is done. */
const advance = sql<{ done_at: number | null }>(`UPDATE push_subscriptions SET
    sent_seq = :seq, attempts = 0, next_at = :clock, last_error = NULL,
    last_status = COALESCE(CAST(:status AS INTEGER), last_status),
    last_at = CASE WHEN CAST(:status AS INTEGER) IS NULL THEN last_at ELSE :clock END,
    lease_owner = CASE WHEN :release = 1 THEN NULL ELSE lease_owner END,
    lease_until = CASE WHEN :release = 1 THEN NULL ELSE :clock + :leaseMs END,
    done_at = CASE WHEN EXISTS (SELECT 1 FROM tasks WHERE tenant = :tenant AND id = :taskId AND seq = :seq AND ${ENDED})
      THEN :clock END
  WHERE ${HELD}
  RETURNING done_at`);

const fail = sql<{ id: string }>(`UPDATE push_subscriptions SET
    attempts = attempts + 1, next_at = :retryAt, last_error = :error, last_status = :status, last_at = :clock,
    disabled_at = CASE WHEN :disable = 1 THEN :clock END, lease_owner = NULL, lease_until = NULL
  WHERE ${HELD}
  RETURNING id`);

export const recordDelivered: (command: PushDelivered) => Command<"held" | "done" | "lost"> = (command) =>
  function* () {
    const { lease, seq, status, leaseMs, now } = command;
    const { owner, fence } = lease;
    const release = command.release ? 1 : 0;
    const row = yield* one(advance, { ...keyParams(lease), owner, fence, seq, status, release, leaseMs, now });
    if (row === undefined) return "lost";
    return row.done_at === null ? "held" : "done";
  };

export const recordFailed: (command: PushFailed) => Command<boolean> = (command) =>
  function* () {
    const { lease, error, status, retryAt, now } = command;
    const { owner, fence } = lease;
    const disable = command.disable ? 1 : 0;
    const row = yield* one(fail, { ...keyParams(lease), owner, fence, error, status, retryAt, disable, now });
    return row !== undefined;
  };
