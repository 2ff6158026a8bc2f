import { setTimeout as after } from "node:timers/promises";
import { type PostgresServer, startPostgres } from "../../test/support/postgres/server.js";
import { readPostgres } from "../ledger/read-ledger.js";
import { killOnce, noKills, totalOf } from "../nodes/kills.js";
import type { Node } from "../nodes/nodes.js";
import type { Row } from "../report.js";
import type { Sizes } from "./sizes.js";
import { type Harm, underHarm } from "./under-harm.js";

const NODES = 3;

/**
 * R1 on PostgreSQL: several nodes, of which a random one is killed; connections that the server ends; and the server itself,
 * which is stopped as by a crash.
 */
export async function r1Postgres(sizes: Sizes): Promise<Row> {
  const promised = { kills: sizes.kills, backends: sizes.kills, restarts: Math.ceil(sizes.kills / 10) };
  const server = await startPostgres();
  let kills = noKills();
  const done = { backends: 0, restarts: 0 };

  async function harm({ nodes, load, random, ...harmed }: Harm): Promise<void> {
    kills = harmed.kills;
    const share = (count: number, of: number) => load.progress(count / (of + 1));
    const pickNode = () => nodes.all[Math.floor(random() * nodes.all.length)] as Node;
    await Promise.all([
      (async () => {
        while (totalOf(kills) < promised.kills && !load.over) {
          await share(totalOf(kills), promised.kills);
          const moment = (["any time", "start-up", "shutdown"] as const)[Math.floor(random() * 3)] ?? "any time";
          await killOnce(pickNode(), moment, random, kills);
        }
      })(),
      (async () => {
        while (done.backends < promised.backends && !load.over) {
          await share(done.backends, promised.backends);
          await after(random() * 300);
          done.backends += await endBackends(server, 1 + Math.floor(random() * 4));
        }
      })(),
      (async () => {
        for (; done.restarts < promised.restarts && !load.over; done.restarts++) {
          await share(done.restarts + 0.5, promised.restarts);
          await server.stop("immediate");
          await after(random() * 1000);
          await server.start();
        }
      })(),
    ]);
  }

  try {
    return await underHarm(
      {
        id: "R1",
        what: `PostgreSQL, ${NODES} nodes`,
        configs: Array.from({ length: NODES }, () => ({
          storage: { type: "postgres", url: server.url },
          queue: { leaseMs: sizes.leaseMs },
        })),
        harm,
        injected: () => [
          { name: "kills", count: totalOf(kills), promised: promised.kills },
          { name: "connections ended by the server", count: done.backends, promised: promised.backends },
          { name: "crashes of PostgreSQL", count: done.restarts, promised: promised.restarts },
        ],
        openLedger: () => readPostgres(server.url),
      },
      sizes,
    );
  } finally {
    await server.remove();
  }
}

/** Ends some connections of the nodes, whatever they are in the middle of. */
async function endBackends(server: PostgresServer, most: number): Promise<number> {
  try {
    const rows = await server.query(
      `SELECT pg_terminate_backend(pid) FROM (
         SELECT pid FROM pg_stat_activity WHERE application_name = 'nuncio' ORDER BY random() LIMIT $1) AS chosen`,
      [most],
    );
    return rows.length;
  } catch {
    // It has crashed at the moment.
    await after(100);
    return 0;
  }
}
