import { setTimeout as after } from "node:timers/promises";
import { Findings, keepEvidence } from "../findings.js";
import { checkLedger } from "../ledger/check-ledger.js";
import { checkOutcomes } from "../ledger/check-outcomes.js";
import { type LedgerFacts, readFacts } from "../ledger/ledger-facts.js";
import type { LedgerReader } from "../ledger/read-ledger.js";
import { type Effects, startEffects } from "../load/effects.js";
import type { WireTask } from "../load/follow-stream.js";
import { Load } from "../load/load.js";
import { mesh } from "../load/mesh.js";
import { type LoadRequest, requestOf, requestsFor } from "../load/requests.js";
import { ConnectionLost, call, Refused } from "../load/wire.js";
import { type Node, Nodes } from "../nodes/nodes.js";
import type { Outage } from "../outages/outage.js";
import { seeded } from "../random.js";
import type { Row } from "../report.js";
import type { Sizes } from "./sizes.js";

const SLOTS = 48;
/** Runs that go on all the time, one chunk after another. */
const RUNNERS = 6;
const CHUNK_MS = 250;

export interface OutageOptions {
  id: string;
  outage: Outage;
  nodes: number;
  rounds: number;
  /** How long each lasts, from the first refusal on. */
  holdMs: number;
  delegations: number;
  openLedger(nodes: Nodes): LedgerReader | Promise<LedgerReader>;
}

/**
 * R3: what the daemon needs goes away while it works, and comes back. Until then submissions are refused with an error
 * that says to come again, running work is kept, and the status tells.
 */
export async function surviveOutage(options: OutageOptions, sizes: Sizes): Promise<Row> {
  const { id, outage, rounds, holdMs, delegations, openLedger } = options;
  const { seed, callers, patienceMs } = sizes;
  const chunks = Array.from({ length: Math.ceil(sizes.runMs / CHUNK_MS) }, (_, n) => `${n} `);
  const startedAt = performance.now();
  const findings = new Findings();
  const effects = await startEffects();
  const nodes = new Nodes(
    Array.from({ length: options.nodes }, () => config(effects, outage, chunks)),
    findings,
    outage.spawn,
  );
  const load = new Load(nodes, requestsFor(delegations, seed), findings, seeded(seed));
  const tally = { rounds: 0, refused: 0, told: 0, kept: 0 };
  try {
    await nodes.start();
    const runners = await startRunners(nodes, `${chunks.join("")}end`);
    await Promise.all([load.run(callers, patienceMs), goAwayAgainAndAgain()]);
    await nodes.untilIdle(patienceMs, findings);

    const ledger = await openLedger(nodes);
    const facts = await readFacts(ledger);
    await ledger.close();
    checkLedger(facts, findings);
    checkRunners(facts, runners);
    checkOutcomes(facts, load.acknowledged, findings);
    effects.check(facts, findings);
    return {
      id,
      what: `${outage.name}, ${options.nodes} ${options.nodes === 1 ? "daemon" : "nodes"}`,
      done: [
        `${load.counts.acknowledged.toLocaleString("en")} messages acknowledged`,
        `${load.counts.refusals} more refusals under load`,
      ],
      injected: [
        { name: "outages", count: tally.rounds, promised: rounds },
        {
          name: "submissions refused with 503, then taken once",
          count: tally.refused,
          promised: outage.refuses ? rounds : 0,
        },
        { name: "times told by the status", count: tally.told, promised: outage.refuses ? rounds : 0 },
        { name: "runs that were kept", count: tally.kept, promised: RUNNERS },
      ],
      findings: findings.list,
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    await nodes.remove();
    keepEvidence(
      findings,
      nodes.all.map(({ log }) => log),
    );
    await outage.remove();
    await effects.close();
  }

  async function goAwayAgainAndAgain(): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      await load.progress((round + 0.3) / (rounds + 1));
      const probes = [echo(`probe-${round}`)];
      await outage.begin(nodes);
      if (outage.refuses) {
        if (await isRefused(nodes, probes, patienceMs, findings)) tally.refused += 1;
        if (await isTold(nodes, patienceMs, findings)) tally.told += 1;
      }
      await after(holdMs);
      await outage.end(nodes);
      tally.rounds += 1;
      // The same messages again, those that were refused and those that had been taken.
      for (const request of probes) {
        const id = await untilTaken(nodes, request, patienceMs, findings);
        if (id !== undefined) load.acknowledged.set(request.messageId, { request, id });
      }
      for (const { client, url } of nodes.all) {
        const { ledger } = await client.status();
        if (!ledger.available) findings.stuck(`the status still says: ${ledger.reason}`);
        const { status } = await fetch(`${url}/healthz`);
        if (status !== 200) findings.stuck(`the listener still answers ${status} to who asks for its health`);
      }
    }
  }

  /** What ran when the ledger went away has gone on in the same attempt where that can be, and has its whole result. */
  function checkRunners(facts: LedgerFacts, runners: ReadonlyMap<string, LoadRequest>): void {
    for (const [id, request] of runners) {
      load.acknowledged.set(request.messageId, { request, id });
      const attempt = facts.tasks.get(id)?.attempt;
      if (attempt === 1 || (attempt === 2 && wasUncertain(id))) tally.kept += 1;
      else findings.lost(`the run of ${id} was not kept: it took ${attempt} attempts`);
    }
  }

  /**
   * The database was lost in the very commit of a record of the run, and cannot say what became of it: the daemon has said
   * so, and another attempt has gone on from what is there.
   */
  function wasUncertain(id: string): boolean {
    const isIt = (line: string) => line.includes(`"taskId":"${id}"`) && line.includes("recording an attempt failed");
    return nodes.all.some((node) => node.said().some((line) => isIt(line) && line.includes("OUTCOME_UNKNOWN")));
  }
}

const config = (effects: Effects, outage: Outage, chunks: readonly string[]) => {
  const { providers, personas } = mesh({ slots: SLOTS, ...effects });
  const steps = chunks.flatMap((chunk) => [{ chunk }, { sleep: CHUNK_MS }]);
  const steady = { name: "steady", visibility: "public", runtime: "scripted", maxConcurrent: RUNNERS };
  return {
    queue: { concurrency: SLOTS, backoffBaseMs: 20, backoffMaxMs: 100, leaseMs: 60_000 },
    a2a: { maxAttempts: 20, maxConcurrentPerTarget: 100 },
    providers,
    personas: [...personas, { ...steady, script: [{ steps: [...steps, { reply: "end" }] }] }],
    ...outage.config,
  };
};

async function startRunners(nodes: Nodes, result: string): Promise<Map<string, LoadRequest>> {
  const runners = new Map<string, LoadRequest>();
  for (let n = 0; n < RUNNERS; n++) {
    const text = `steady ${n}`;
    const request = { ...echo(`runner-${n}`), text };
    request.outcome = { ...request.outcome, text, result };
    runners.set(await send(nodes, request, "steady"), request);
  }
  return runners;
}

async function send(nodes: Nodes, { messageId, text }: LoadRequest, agent = "front"): Promise<string> {
  const url = await nodes.pick(Math.random);
  const message = { messageId, role: "ROLE_USER", parts: [{ text }] };
  const params = { message, configuration: { returnImmediately: true } };
  return (await call<{ task: WireTask }>({ url, agent, method: "SendMessage", params })).task.id;
}

/**
 * Under load the disk fills with the next commits; from then on each submission is refused, and says that it may come
 * again. What is sent is added to `probes`.
 */
async function isRefused(
  nodes: Nodes,
  probes: LoadRequest[],
  patienceMs: number,
  findings: Findings,
): Promise<boolean> {
  const giveUpAt = Date.now() + patienceMs;
  while (Date.now() < giveUpAt) {
    const probe = echo(`${probes[0]?.messageId}-${probes.length}`);
    probes.push(probe);
    try {
      await send(nodes, probe);
      await after(20);
    } catch (error) {
      if (error instanceof ConnectionLost) continue;
      if (error instanceof Refused && error.status === 503 && error.retryable) return true;
      findings.lost(`a submission was refused without a chance: ${(error as Error).message}`);
      return false;
    }
  }
  findings.lost("no submission was refused");
  return false;
}

/** Work that delegates nothing. */
const echo = (messageId: string): LoadRequest => {
  const text = `echo ${messageId}`;
  return {
    ...requestOf("await", messageId, 0),
    text,
    outcome: { text, state: "completed", result: text, children: [] },
  };
};

async function isTold(nodes: Nodes, patienceMs: number, findings: Findings): Promise<boolean> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const silent = (await Promise.all(nodes.all.map(saysThatAllIsWell))).filter(Boolean);
    if (silent.length === 0) return true;
    if (Date.now() > giveUpAt) {
      findings.lost(`${silent.length} daemons say that the ledger is available, and it is not`);
      return false;
    }
    await after(100);
  }
}

/** To the operator, or to whoever asks the listener. */
async function saysThatAllIsWell({ client, url }: Node): Promise<boolean> {
  const [{ ledger }, { status }] = await Promise.all([client.status(), fetch(`${url}/healthz`)]);
  return ledger.available || status !== 503;
}

async function untilTaken(
  nodes: Nodes,
  request: LoadRequest,
  patienceMs: number,
  findings: Findings,
): Promise<string | undefined> {
  const giveUpAt = Date.now() + patienceMs;
  let reason: unknown;
  while (Date.now() < giveUpAt) {
    try {
      return await send(nodes, request);
    } catch (error) {
      if (!(error instanceof ConnectionLost) && !(error instanceof Refused && error.retryable)) throw error;
      reason = error;
      await after(100);
    }
  }
  findings.stuck(`nothing is taken although all is there again: ${String(reason)}`);
  return undefined;
}
