import type { PushChoice, PushSubscription } from "../../../tasks/push-ledger.js";
import { all, type Command } from "../../sql/command.js";
import { sql } from "../../sql/statement.js";
import { CHOSEN, choiceParams, PUSH_COLUMNS, type PushRow, toPush } from "./push-row.js";

/** A lease that somebody has stays: nobody is told of the same thing twice because of this. */
const enable = sql<PushRow>(`UPDATE push_subscriptions SET attempts = 0, next_at = :clock, disabled_at = NULL
  WHERE ${CHOSEN} AND done_at IS NULL RETURNING ${PUSH_COLUMNS}`);

/** A sender that is at it finds its lease gone. */
const turnOff = sql<PushRow>(`UPDATE push_subscriptions SET
    disabled_at = COALESCE(disabled_at, :clock), last_error = :reason,
    lease_owner = NULL, lease_until = NULL, fence = fence + 1
  WHERE ${CHOSEN} AND done_at IS NULL RETURNING ${PUSH_COLUMNS}`);

/** The operator's decision about one subscription of a task, or all of them. */
export const retryPush: (command: PushChoice & { now: number }) => Command<PushSubscription[]> = (command) =>
  function* () {
    return (yield* all(enable, { ...choiceParams(command), now: command.now })).map(toPush);
  };

export const disablePush: (command: PushChoice & { now: number; reason: string }) => Command<PushSubscription[]> = (
  command,
) =>
  function* () {
    const { now, reason } = command;
    return (yield* all(turnOff, { ...choiceParams(command), now, reason })).map(toPush);
  };
