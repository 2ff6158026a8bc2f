import type { PushKey, PushSubscription } from "../../../tasks/push-ledger.js";
import { all, type Command, one, run } from "../../sql/command.js";
import { sql } from "../../sql/statement.js";
import { keyParams, PUSH_COLUMNS, type PushRow, THIS, toPush } from "./push-row.js";

const byKey = sql<PushRow>(`SELECT ${PUSH_COLUMNS} FROM push_subscriptions WHERE ${THIS}`);

const ofTask = sql<PushRow>(`SELECT ${PUSH_COLUMNS} FROM push_subscriptions
  WHERE tenant = :tenant AND task_id = :taskId ORDER BY id`);

const remove = sql(`DELETE FROM push_subscriptions WHERE ${THIS}`);

export const findPush: (key: PushKey) => Command<PushSubscription | null> = (key) =>
  function* () {
    const row = yield* one(byKey, keyParams(key));
    return row === undefined ? null : toPush(row);
  };

export const pushesOf: (tenant: string, taskId: string) => Command<PushSubscription[]> = (tenant, taskId) =>
  function* () {
    return (yield* all(ofTask, { tenant, taskId })).map(toPush);
  };

/** A sender that is at it finds nothing more to record. */
export const removePush: (key: PushKey) => Command<boolean> = (key) =>
  function* () {
    return (yield* run(remove, keyParams(key))) > 0;
  };
