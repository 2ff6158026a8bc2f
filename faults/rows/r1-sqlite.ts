import { join } from "node:path";
import { Findings } from "../findings.js";
import { checkLedger } from "../ledger/check-ledger.js";
import { checkOutcomes } from "../ledger/check-outcomes.js";
import { readFacts } from "../ledger/ledger-facts.js";
import { readSqlite } from "../ledger/read-ledger.js";
import { startEffects } from "../load/effects.js";
import { Load } from "../load/load.js";
import { mesh } from "../load/mesh.js";
import { requestsFor } from "../load/requests.js";
import { type KillCounts, killOnce, MOMENTS, noKills } from "../nodes/kills.js";
import { Nodes } from "../nodes/nodes.js";
import { seeded } from "../random.js";
import type { Row } from "../report.js";
import { injectedBy, loadFacts } from "./load-facts.js";
import type { Sizes } from "./sizes.js";

const SLOTS = 64;

/** R1 on SQLite: one daemon that is killed again and again, and never gets to end what it has begun. */
export async function r1Sqlite({ seed, delegations, kills: promised, callers, patienceMs }: Sizes): Promise<Row> {
  const startedAt = performance.now();
  const random = seeded(seed);
  const findings = new Findings();
  const effects = await startEffects();
  const nodes = new Nodes([
    {
      queue: { concurrency: SLOTS, backoffBaseMs: 20, backoffMaxMs: 100 },
      a2a: { maxAttempts: 20, maxConcurrentPerTarget: 100 },
      ...mesh({ slots: SLOTS, ...effects }),
    },
  ]);
  const [node] = nodes.all as [Nodes["all"][number]];
  const load = new Load(nodes, requestsFor(delegations, seed), findings, random);
  const kills = noKills();
  try {
    await nodes.start();
    await Promise.all([load.run(callers, patienceMs), killAgainAndAgain()]);
    await nodes.untilIdle(patienceMs, findings);
    await node.kill("SIGTERM");

    const ledger = readSqlite(join(node.dataDir, "ledger.db"));
    const facts = await readFacts(ledger);
    await ledger.close();
    checkLedger(facts, findings);
    checkOutcomes(facts, load.acknowledged, findings);
    effects.check(facts, findings);
    const delegated = [...facts.tasks.values()].filter(({ parentId }) => parentId !== null).length;
    return {
      id: "R1",
      what: "SQLite, one daemon",
      done: loadFacts(load.counts, effects.counts(), kills),
      injected: [{ name: "kills", count: total(kills), promised }, ...injectedBy(load.counts, delegated, delegations)],
      findings: findings.list,
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    await nodes.remove();
    await effects.close();
  }

  async function killAgainAndAgain(): Promise<void> {
    while (total(kills) < promised && !load.over) {
      // Spread over the whole load, whatever its speed.
      await load.progress(total(kills) / (promised + 1));
      const moment = MOMENTS[Math.floor(random() * MOMENTS.length)] ?? "any time";
      await killOnce(node, moment, random, kills);
    }
  }
}

const total = (kills: KillCounts): number => Object.values(kills).reduce((sum, count) => sum + count, 0);
