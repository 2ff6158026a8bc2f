import type { SpawnOptions } from "../../test/support/daemon/daemon-process.js";
import { Findings, keepEvidence } from "../findings.js";
import { checkLedger } from "../ledger/check-ledger.js";
import { checkOutcomes } from "../ledger/check-outcomes.js";
import { type LedgerFacts, readFacts } from "../ledger/ledger-facts.js";
import type { LedgerReader } from "../ledger/read-ledger.js";
import { startEffects } from "../load/effects.js";
import { Load } from "../load/load.js";
import { mesh } from "../load/mesh.js";
import { requestsFor } from "../load/requests.js";
import { type KillCounts, noKills } from "../nodes/kills.js";
import { Nodes } from "../nodes/nodes.js";
import { seeded } from "../random.js";
import type { Row } from "../report.js";
import { injectedBy, loadFacts } from "./load-facts.js";
import type { Sizes } from "./sizes.js";

/** Of each daemon. */
const SLOTS = 64;

export interface HarmOptions {
  id: string;
  what: string;
  /** One for each daemon, what the suite needs left out. */
  configs: readonly object[];
  spawn?: SpawnOptions;
  /** Of requests; all of them unless it says otherwise. */
  kinds?: readonly string[];
  /** What is done to the daemons while they work; ends when enough was done, or with the load. */
  harm(parts: Harm): Promise<void>;
  /** Further things that were done, for the table. */
  injected(facts: LedgerFacts): Row["injected"];
  openLedger(nodes: Nodes): LedgerReader | Promise<LedgerReader>;
}

export interface Harm {
  nodes: Nodes;
  load: Load;
  random: () => number;
  kills: KillCounts;
}

/** Delegations by the thousand while daemons are harmed; afterwards each has come to what it should, once. */
export async function underHarm(options: HarmOptions, sizes: Sizes): Promise<Row> {
  const { seed, delegations, callers, patienceMs } = sizes;
  const startedAt = performance.now();
  const random = seeded(seed);
  const findings = new Findings();
  const effects = await startEffects();
  const nodes = new Nodes(
    options.configs.map((config) => ({
      a2a: { maxAttempts: 20, maxConcurrentPerTarget: 100 },
      ...mesh({ slots: SLOTS, ...effects }),
      ...config,
      queue: { concurrency: SLOTS, backoffBaseMs: 20, backoffMaxMs: 100, ...(config as { queue?: object }).queue },
    })),
    findings,
    options.spawn,
  );
  const load = new Load(nodes, requestsFor(delegations, seed, options.kinds), findings, random);
  const kills = noKills();
  try {
    await nodes.start();
    await Promise.all([load.run(callers, patienceMs), options.harm({ nodes, load, random, kills })]);
    await nodes.untilIdle(patienceMs, findings);

    const ledger = await options.openLedger(nodes);
    const facts = await readFacts(ledger);
    await ledger.close();
    checkLedger(facts, findings);
    checkOutcomes(facts, load.acknowledged, findings);
    effects.check(facts, findings);
    const delegated = [...facts.tasks.values()].filter(({ parentId }) => parentId !== null).length;
    return {
      id: options.id,
      what: options.what,
      done: loadFacts(load.counts, effects.counts(), kills, facts),
      injected: [...options.injected(facts), ...injectedBy(load.counts, delegated, delegations)],
      findings: findings.list,
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    await nodes.remove();
    keepEvidence(
      findings,
      nodes.all.map(({ log }) => log),
    );
    await effects.close();
  }
}
