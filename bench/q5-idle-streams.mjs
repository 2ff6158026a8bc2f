import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { holdStreams, startFanOut, startNuncio, startProbed } from "./processes.mjs";
import { median } from "./statistics.mjs";

const STREAMS = 2000;
const FEW = 100;
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
 * collection, over that of the same daemon before they came; memory of the kernel is in neither. Measured on daemons
 * that have just started, where the figure holds compiled code and the room that the engine makes for new objects, too;
 * and on one that has served as many streams before, a hundred at a time.
 *
 * Then a task says something: the time from the moment that the event carries until the last of the callers has it,
 * against a process that writes the same text to as many sockets.
 */
export async function q5({ directory, rounds }) {
  const home = join(directory, "q5");
  const fresh = [];
  for (let round = 0; round < Math.min(rounds, 3); round++) fresh.push(await idle(join(home, `fresh-${round}`), 1));
  const used = await idle(join(home, "used"), STREAMS / FEW);
  return [
    memoryRow("a daemon just started", fresh),
    memoryRow("a daemon in use", [used]),
    {
      id: "Q5",
      what: "timers of each",
      goal: 0.01,
      atMost: true,
      figure: used.timers,
      detail: "one heartbeat for all",
    },
    await fanOut(join(home, "ticks"), rounds),
  ];
}

const memoryRow = (over, measured) => ({
  id: "Q5",
  what: `memory of each of ${STREAMS} idle streams, over ${over}`,
  goal: 20,
  unit: "KiB",
  atMost: true,
  figure: median(measured.map(({ rss }) => rss)),
  detail: `resident; ${median(measured.map(({ heap }) => heap)).toFixed(1)} KiB of it in the JavaScript heap`,
});

/** @param few how often a hundred streams come and go before */
async function idle(home, few) {
  mkdirSync(home, { recursive: true });
  const nuncio = await startProbed(home, CONFIG);
  try {
    const tasks = [];
    for (let i = 0; i < 10; i++) tasks.push(await submit(nuncio, "silent"));
    for (let served = 0; served < few; served++) {
      const some = follow(nuncio, "silent", tasks, few === 1 ? 1 : FEW);
      await some.next();
      await some.stop();
    }
    const before = await nuncio.probe();
    const streams = follow(nuncio, "silent", tasks, STREAMS);
    await streams.next();
    const during = await nuncio.probe();
    await streams.stop();
    const each = (figure, unit) => (during[figure] - before[figure]) / STREAMS / unit;
    return { rss: each("rss", KIB), heap: each("heap", KIB), timers: Math.max(0, each("timers", 1)) };
  } finally {
    await nuncio.stop();
  }
}

async function fanOut(home, rounds) {
  mkdirSync(home, { recursive: true });
  const nuncio = await startNuncio(home, CONFIG);
  const bare = await startFanOut();
  const measured = { nuncio: [], bare: [] };
  try {
    for (let round = 0; round < Math.min(rounds, 4); round++) {
      const task = await submit(nuncio, "ticker");
      measured.bare.push(...(await tickTimes(holdStreams({ port: bare.port, count: STREAMS, path: "/" }))));
      measured.nuncio.push(...(await tickTimes(follow(nuncio, "ticker", [task], STREAMS))));
    }
  } finally {
    await Promise.all([nuncio.stop(), bare.stop()]);
  }
  const oursMs = median(measured.nuncio);
  const bareMs = median(measured.bare);
  return {
    id: "Q5",
    what: `one event to ${STREAMS} streams ÷ bare writes`,
    goal: 3,
    atMost: true,
    figure: oursMs / bareMs,
    detail: `${oursMs.toFixed(0)} ms against ${bareMs.toFixed(0)} ms`,
  };
}

async function tickTimes(streams) {
  await streams.next();
  // What is under way when the last stream has opened has not reached all of them.
  await streams.next();
  const times = [];
  for (let tick = 0; tick < 3; tick++) times.push((await streams.next()).ms);
  await streams.stop();
  return times;
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
