import { setTimeout as after } from "node:timers/promises";
import { startPostgres } from "../../test/support/postgres/server.js";
import { readPostgres } from "../ledger/read-ledger.js";
import type { Node } from "../nodes/nodes.js";
import type { Row } from "../report.js";
import type { Sizes } from "./sizes.js";
import { type Harm, underHarm } from "./under-harm.js";

/**
 * R2: one of two nodes stands still, in the middle of runs and of transactions, for longer than its leases last. The
 * other takes over; and what the first still wants to write when it wakes up is refused.
 */
export async function r2(sizes: Sizes): Promise<Row> {
  const promised = sizes.rounds;
  // Each round has to wait for it to run out.
  const leaseMs = Math.min(sizes.leaseMs, 1500);
  const server = await startPostgres();
  let rounds = 0;

  async function harm({ nodes, load, random }: Harm): Promise<void> {
    for (; rounds < promised && !load.over; rounds++) {
      await load.progress((rounds + 0.5) / (promised + 1));
      const node = nodes.all[Math.floor(random() * nodes.all.length)] as Node;
      await after(random() * 200);
      node.signal("SIGSTOP");
      await after(leaseMs * (1.2 + random() * 2));
      node.signal("SIGCONT");
    }
  }

  try {
    return await underHarm(
      {
        id: "R2",
        what: "PostgreSQL, one of two nodes stopped (SIGSTOP) for longer than its leases, and continued",
        configs: Array.from({ length: 2 }, () => ({
          storage: { type: "postgres", url: server.url },
          queue: { leaseMs },
        })),
        harm,
        injected: ({ tasks }) => [
          { name: "stops", count: rounds, promised },
          {
            name: "tasks taken over",
            count: [...tasks.values()].filter(({ takenOver }) => takenOver > 0).length,
            promised: Math.floor(promised / 10),
          },
        ],
        openLedger: () => readPostgres(server.url),
      },
      { ...sizes, delegations: sizes.delegations / 5 },
    );
  } finally {
    await server.remove();
  }
}
