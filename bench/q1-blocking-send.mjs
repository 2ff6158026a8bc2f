import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { load, startEcho, startNuncio, startSdk } from "./processes.mjs";
import { median } from "./statistics.mjs";

const CONNECTIONS = 16;

const CONFIG = `
dataDir: ./data
server: { port: 0 }
queue: { concurrency: 32 }
personas:
  - { name: echo, runtime: scripted, visibility: public, maxConcurrent: 32, script: [] }
`;

/**
 * Q1: blocking SendMessage to an echo persona, authenticated and durable, against the bare echo and the SDK's servers.
 * All four are measured in turn in every round, and a ratio is taken within a round: what the machine does beside
 * that meets all of them.
 */
export async function q1({ directory, rounds, seconds }) {
  const home = join(directory, "q1");
  mkdirSync(home);
  const nuncio = await startNuncio(home, CONFIG);
  const servers = {
    echo: await startEcho(),
    memory: await startSdk("memory", home),
    durable: await startSdk("durable", home),
    nuncio,
  };
  const target = {
    echo: { path: "/" },
    memory: { path: "/" },
    durable: { path: "/" },
    nuncio: { path: "/v1/agents/echo/a2a", headers: { authorization: `Bearer ${nuncio.key}` } },
  };
  const measured = [];
  try {
    for (let round = 0; round <= rounds; round++) {
      const row = {};
      for (const [name, { port }] of Object.entries(servers)) {
        row[name] = await load({ port, connections: CONNECTIONS, seconds: round === 0 ? 2 : seconds, ...target[name] });
        if (row[name].failed > 0) throw new Error(`${name}: ${row[name].failed} requests failed`);
      }
      // The first round warms up.
      if (round > 0) measured.push(row);
    }
  } finally {
    await Promise.all(Object.values(servers).map(({ stop }) => stop()));
  }
  const rate = (name) => median(measured.map((row) => row[name].perSecond));
  const ratio = (peer) => median(measured.map((row) => row.nuncio.perSecond / row[peer].perSecond));
  const p50 = median(measured.map((row) => row.nuncio.p50));
  const detail = (peer) => `${Math.round(rate("nuncio"))}/s against ${Math.round(rate(peer))}/s`;
  return [
    {
      id: "Q1",
      what: "blocking send ÷ bare echo",
      goal: 0.3,
      figure: ratio("echo"),
      detail: `${detail("echo")}, p50 ${p50.toFixed(1)} ms`,
    },
    { id: "Q1", what: "blocking send ÷ SDK in memory", goal: 2.5, figure: ratio("memory"), detail: detail("memory") },
    { id: "Q1", what: "blocking send ÷ SDK durable", goal: 15, figure: ratio("durable"), detail: detail("durable") },
  ];
}
