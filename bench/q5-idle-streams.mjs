import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { holdStreams, startFanOut, startProbed } from "./processes.mjs";
import { median } from "./statistics.mjs";

const STREAMS = 2000;
const KIB = 1024;

/** One that is at work and says nothing, and one that says a word every 700 ms for a minute and a half. */
const CONFIG = `
dataDir: ./data
server: { port: 0 }
queue: { concurrency: 32, drainMs: 0 }
personas:
  - { name: silent, runtime: scripted, visibility: public, maxConcurrent: 16, script: [{ steps: [{ hang: true }] }] }
  - name: ticker
    runtime: scripted
    visibility: public
    maxConcurrent: 16
    timeoutMs: 600000
    script:
      - steps: [${Array.from({ length: 130 }, (_, tick) => `{ sleep: 700 }, { status: "tick ${tick}" }`).join(", ")}]
`;

/**
 * Q5: many callers follow tasks that say nothing. What they cost is the resident memory of the daemon after a garbage
 * collection, over that of the same daemon before they came (it has served a stream already); memory of the kernel is
 * not in it. Then a task says something: the time from the moment that the event carries until the last of the callers
 * has it, against a process that writes the same text to as many sockets.
 */
export async function q5({ directory, rounds }) {
  const home = join(directory, "q5");
  mkdirSync(home);
  const nuncio = await startProbed(home, CONFIG);
  const bare = await startFanOut();
  try {
    const memory = await idle(nuncio);
    const fanOut = await ticks(nuncio, bare, rounds);
    return [...memory, ...fanOut];
  } finally {
    await Promise.all([nuncio.stop(), bare.stop()]);
  }
}

async function idle(nuncio) {
  const tasks = [];
  for (let i = 0; i < 10; i++) tasks.push(await submit(nuncio, "silent"));
  const first = follow(nuncio, "silent", tasks, 1);
  await first.next();
  await first.stop();
  const before = await nuncio.probe();
  const streams = follow(nuncio, "silent", tasks, STREAMS);
  await streams.next();
  const during = await nuncio.probe();
  await streams.stop();
  const each = (figure) => (during[figure] - before[figure]) / STREAMS / KIB;
  return [
    {
      id: "Q5",
      what: `memory of each of ${STREAMS} idle streams`,
      goal: 20,
      unit: "KiB",
      atMost: true,
      figure: each("rss"),
      detail: `resident; ${each("heap").toFixed(1)} KiB of it in the JavaScript heap`,
    },
    {
      id: "Q5",
      what: `timers of ${STREAMS} idle streams`,
      goal: 1,
      atMost: true,
      figure: during.timers - before.timers,
      detail: "one heartbeat for all",
    },
  ];
}

async function ticks(nuncio, bare, rounds) {
  const measured = { nuncio: [], bare: [] };
  const perPhase = 3;
  for (let round = 0; round < Math.min(rounds, 4); round++) {
    const task = await submit(nuncio, "ticker");
    for (const [name, open] of [
      ["bare", () => holdStreams({ port: bare.port, count: STREAMS, path: "/", body: "{}" })],
      ["nuncio", () => follow(nuncio, "ticker", [task], STREAMS)],
    ]) {
      const streams = open();
      await streams.next();
      // What is under way when the last stream has opened has not reached all of them.
      const times = [];
      for (let tick = 0; tick <= perPhase; tick++) times.push((await streams.next()).ms);
      measured[name].push(...times.slice(1));
      await streams.stop();
    }
  }
  const bareMs = median(measured.bare);
  const oursMs = median(measured.nuncio);
  return [
    {
      id: "Q5",
      what: `one event to ${STREAMS} streams ÷ bare writes`,
      goal: 3,
      atMost: true,
      figure: oursMs / bareMs,
      detail: `${oursMs.toFixed(0)} ms against ${bareMs.toFixed(0)} ms`,
    },
  ];
}

const target = ({ port, key }, persona) => ({
  port,
  path: `/v1/agents/${persona}/a2a`,
  headers: { authorization: `Bearer ${key}` },
});

/** Streams on the tasks in turn; the first report comes when all of them are open. */
const follow = (nuncio, persona, tasks, count) =>
  holdStreams({
    ...target(nuncio, persona),
    count,
    bodies: tasks.map((id) => JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SubscribeToTask", params: { id } })),
  });

async function submit(nuncio, persona) {
  const { path, headers } = target(nuncio, persona);
  const response = await fetch(`http://127.0.0.1:${nuncio.port}${path}`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", "a2a-version": "1.0" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "SendMessage",
      params: {
        message: { messageId: `${persona}-${Math.random()}`, role: "ROLE_USER", parts: [{ text: "go" }] },
        configuration: { returnImmediately: true },
      },
    }),
  });
  return (await response.json()).result.task.id;
}
