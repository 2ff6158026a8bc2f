import type { Lease } from "../../tasks/ledger.js";
import { type Command, one } from "../sql/command.js";
import { sql } from "../sql/statement.js";

const extend = sql(`UPDATE tasks SET lease_until = :leaseUntil
  WHERE tenant = :tenant AND id = :taskId AND lease_owner = :owner AND fence = :fence RETURNING id`);

export const heartbeat: (command: {
  owner: string;
  leases: readonly Lease[];
  leaseUntil: number;
}) => Command<{ lost: string[] }> = ({ owner, leases, leaseUntil }) =>
  function* () {
    const lost: string[] = [];
    for (const { tenant, taskId, fence } of leases) {
      if ((yield* one(extend, { tenant, taskId, owner, fence, leaseUntil })) === undefined) lost.push(taskId);
    }
    return { lost };
  };
