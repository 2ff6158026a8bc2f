import { type PostgresServer, startPostgres } from "../../test/support/postgres/server.js";
import { readPostgres } from "../ledger/read-ledger.js";
import type { Outage } from "../outages/outage.js";
import { poolLost, postgresStopped, postgresSuspended } from "../outages/postgres.js";
import type { Row } from "../report.js";
import type { Sizes } from "./sizes.js";
import { surviveOutage } from "./survive-outage.js";

/** R3 on PostgreSQL, with two nodes: it is restarted, gone for 20 s, does not answer, or cuts all connections. */
export const r3Restarted = (sizes: Sizes): Promise<Row> =>
  outageOnPostgres((server) => postgresStopped(server, "immediate"), sizes.outages, 500, sizes);

export const r3Gone = (sizes: Sizes): Promise<Row> =>
  outageOnPostgres((server) => postgresStopped(server, "fast"), 1, 20_000, sizes);

export const r3Halted = (sizes: Sizes): Promise<Row> => outageOnPostgres(postgresSuspended, sizes.outages, 3000, sizes);

export const r3PoolLost = (sizes: Sizes): Promise<Row> => outageOnPostgres(poolLost, 5 * sizes.outages, 50, sizes);

export async function outageOnPostgres(
  outageOf: (server: PostgresServer) => Outage,
  rounds: number,
  holdMs: number,
  sizes: Sizes,
): Promise<Row> {
  const server = await startPostgres();
  try {
    return await surviveOutage(
      {
        id: "R3",
        outage: outageOf(server),
        nodes: 2,
        rounds,
        holdMs,
        delegations: sizes.delegations / 20,
        openLedger: () => readPostgres(server.url),
      },
      sizes,
    );
  } finally {
    await server.remove();
  }
}
