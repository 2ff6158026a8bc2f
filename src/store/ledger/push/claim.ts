import type { ClaimPush, PushLease } from "../../../tasks/push-ledger.js";
import { type Command, one, run } from "../../sql/command.js";
import { sql } from "../../sql/statement.js";
import { keyParams, LIVE, THIS } from "./push-row.js";

/** Of two senders that read the same position one finds it changed, or leased. */
const take = sql<{ fence: number }>(`UPDATE push_subscriptions
  SET lease_owner = :owner, lease_until = :clock + :leaseMs, fence = fence + 1
  WHERE ${THIS} AND ${LIVE} AND sent_seq = :sentSeq
    AND (next_at <= :clock OR next_at > :clock + :longest)
    AND (lease_owner IS NULL OR lease_owner = :owner OR lease_until <= :clock)
  RETURNING fence`);

const giveBack = sql(`UPDATE push_subscriptions SET lease_owner = NULL, lease_until = NULL
  WHERE ${THIS} AND lease_owner = :owner AND fence = :fence`);

export const claimPush: (command: ClaimPush) => Command<PushLease | null> = (command) =>
  function* () {
    const { owner, leaseMs, sentSeq, now, longestBackoffMs: longest } = command;
    const key = keyParams(command);
    const row = yield* one(take, { ...key, owner, leaseMs, sentSeq, now, longest });
    return row === undefined ? null : { ...key, owner, fence: row.fence };
  };

export const releasePush: (lease: PushLease) => Command<void> = (lease) =>
  function* () {
    yield* run(giveBack, { ...keyParams(lease), owner: lease.owner, fence: lease.fence });
  };
