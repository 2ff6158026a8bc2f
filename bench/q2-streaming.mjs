import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { PIECE, TWENTY } from "./pieces.mjs";
import { load, startNuncio, startSdk } from "./processes.mjs";
import { median } from "./statistics.mjs";

const CONNECTIONS = 16;

const quoted = (index) => JSON.stringify(PIECE.replace("#", String(index).padStart(2, "0")));
const script = (step) => `script: [{ steps: [${TWENTY.map(step).join(", ")}] }]`;

const CONFIG = `
dataDir: ./data
server: { port: 0 }
queue: { concurrency: 32 }
personas:
  - name: pieces
    runtime: scripted
    visibility: public
    maxConcurrent: 32
    ${script((index) => `{ chunk: ${quoted(index)} }`)}
  - name: artifacts
    runtime: scripted
    visibility: public
    maxConcurrent: 32
    ${script((index) => `{ artifact: { name: note-${index}, parts: [{ text: ${quoted(index)} }] } }`)}
`;

/**
 * Q2: SendStreamingMessage, with an agent that makes twenty pieces of output at once. As pieces of one text, which we
 * join as far as they were made before the last ones were written; and as artifacts of their own, of which each is an
 * event in the ledger and an update on the wire.
 */
export async function q2({ directory, rounds, seconds }) {
  const home = join(directory, "q2");
  mkdirSync(home);
  const nuncio = await startNuncio(home, CONFIG);
  const sdk = await startSdk("durable", home);
  const measured = { pieces: [], artifacts: [] };
  const run = (kind, target, round) =>
    load({
      connections: CONNECTIONS,
      seconds: round === 0 ? 1 : seconds,
      method: "SendStreamingMessage",
      text: kind,
      expect: { "piece ": 20, TASK_STATE_COMPLETED: 1 },
      ...target,
    });
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const kind of Object.keys(measured)) {
        const headers = { authorization: `Bearer ${nuncio.key}` };
        const row = {
          sdk: await run(kind, { port: sdk.port, path: "/" }, round),
          nuncio: await run(kind, { port: nuncio.port, path: `/v1/agents/${kind}/a2a`, headers }, round),
        };
        for (const [name, { failed }] of Object.entries(row)) {
          if (failed > 0) throw new Error(`${name}: ${failed} streams were not as they should be`);
        }
        // The first round warms up.
        if (round > 0) measured[kind].push(row);
      }
    }
  } finally {
    await Promise.all([nuncio.stop(), sdk.stop()]);
  }
  const row = (kind, what) => {
    const of = (name, figure) => median(measured[kind].map((m) => m[name][figure]));
    const rates = `${Math.round(of("nuncio", "perSecond"))}/s against ${Math.round(of("sdk", "perSecond"))}/s`;
    const updates = `${of("nuncio", "updatesEach")} and ${of("sdk", "updatesEach")} updates each`;
    return {
      id: "Q2",
      what,
      goal: 5,
      figure: median(measured[kind].map((m) => m.nuncio.perSecond / m.sdk.perSecond)),
      detail: `${rates}; ${updates}`,
    };
  };
  return [
    row("pieces", "streams of 20 pieces of one text ÷ SDK durable"),
    row("artifacts", "streams of 20 artifacts ÷ SDK durable"),
  ];
}
