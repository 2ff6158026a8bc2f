import type { Lease } from "../../tasks/ledger.js";
import { type Command, run } from "../sql/command.js";
import { sql } from "../sql/statement.js";

const extend = sql(`UPDATE tasks SET lease_until = :clock + :leaseMs
  WHERE tenant = :tenant AND id = :taskId AND lease_owner = :owner AND fence = :fence`);

/** Extends one lease; false when it is lost. A command for each, so that nobody holds rows while it waits for others. */
export const extendLease: (lease: Lease, leaseMs: number, now: number) => Command<boolean> = (lease, leaseMs, now) =>
  function* () {
    const { tenant, taskId, owner, fence } = lease;
    return (yield* run(extend, { tenant, taskId, owner, fence, leaseMs, now })) === 1;
  };
