import { join } from "node:path";
import { readSqlite } from "../ledger/read-ledger.js";
import { killOnce, MOMENTS, noKills, totalOf } from "../nodes/kills.js";
import type { Nodes } from "../nodes/nodes.js";
import type { Row } from "../report.js";
import type { Sizes } from "./sizes.js";
import { type Harm, underHarm } from "./under-harm.js";

/** R1 on SQLite: one daemon that is killed again and again, and never gets to end what it has begun. */
export function r1Sqlite(sizes: Sizes): Promise<Row> {
  const promised = sizes.kills;
  let kills = noKills();

  async function harm({ nodes, load, random, ...harmed }: Harm): Promise<void> {
    kills = harmed.kills;
    const [node] = nodes.all as [Nodes["all"][number]];
    while (totalOf(kills) < promised && !load.over) {
      // Spread over the whole load, whatever its speed.
      await load.progress(totalOf(kills) / (promised + 1));
      const moment = MOMENTS[Math.floor(random() * MOMENTS.length)] ?? "any time";
      await killOnce(node, moment, random, kills);
    }
  }

  return underHarm(
    {
      id: "R1",
      what: "SQLite, one daemon",
      configs: [{}],
      harm,
      injected: () => [{ name: "kills", count: totalOf(kills), promised }],
      async openLedger(nodes) {
        const [node] = nodes.all as [Nodes["all"][number]];
        await node.kill("SIGTERM");
        return readSqlite(join(node.dataDir, "ledger.db"));
      },
    },
    sizes,
  );
}
