// npm run soak [-- --minutes 60] [--per-second 40]
// Mixed load on one daemon for an hour: what it holds in the last quarter is compared with the second quarter.
import { mkdirSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startProbed, workDirectory } from "./processes.mjs";
import { machine } from "./report.mjs";
import { median } from "./statistics.mjs";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "60" }, "per-second": { type: "string", default: "40" } },
});
const minutes = Number(values.minutes);
const perSecond = Number(values["per-second"]);
/** Of one quarter to another; garbage that has not been collected blurs it by a few percent. */
const MOST_GROWTH = 1.1;

const CONFIG = `
dataDir: ./data
server: { port: 0 }
queue: { concurrency: 16, backoffBaseMs: 50, backoffMaxMs: 200 }
a2a: { maxConcurrentPerTarget: 100 }
retention: { finishedDays: 30 }
personas:
  - { name: echo, runtime: scripted, visibility: public, maxConcurrent: 16, script: [] }
  - name: desk
    runtime: scripted
    visibility: public
    maxConcurrent: 16
    capabilities: { allow: ["persona.send:*"] }
    script:
      - { when: { text: "^delegate" }, steps: [ { send: { to: slow, message: "work", await: true, as: r } }, { reply: "{{results.r}}" } ] }
      - { when: { text: "^stream" }, steps: [ { chunk: "one " }, { sleep: 50 }, { chunk: "two " }, { sleep: 50 }, { reply: "three" } ] }
      - { when: { text: "^retry" }, steps: [ { fail: { text: "not yet", retryable: true, attempts: 2 } }, { reply: "now" } ] }
      - { when: { text: "^ask", turn: 1 }, steps: [ { ask: "which one?" } ] }
      - { when: { text: "^hang" }, steps: [ { hang: true } ] }
  - { name: slow, runtime: scripted, maxConcurrent: 16, script: [ { steps: [ { sleep: 20 }, { reply: "done" } ] } ] }
`;

const home = join(workDirectory(), "soak");
mkdirSync(home);
const daemon = await startProbed(home, CONFIG);
const atStart = await daemon.probe();
// As many as are wanted: a cancel that waited for a connection behind those that wait for its slot would never come.
const agent = new Agent({ keepAlive: true });
/** A machine that stands still for a moment gets less to do, not more at once. */
const MOST_IN_FLIGHT = 48;
let sent = 0;
const done = {};
const failed = [];

/** One call; resolves with the parsed answer, or with what of a stream came before it was cut. */
function call(persona, method, params, { cutAfter } = {}) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: ++sent, method, params });
  const headers = {
    authorization: `Bearer ${daemon.key}`,
    "a2a-version": "1.0",
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const options = { port: daemon.port, path: `/v1/agents/${persona}/a2a`, method: "POST", headers, agent };
    const sending = request(options, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk) => {
        text += chunk;
        if (cutAfter !== undefined && text.length > cutAfter) {
          sending.destroy();
          resolve(text);
        }
      });
      answer.on("end", () => resolve(method.includes("Stream") ? text : JSON.parse(text)));
      answer.on("error", () => resolve(text));
    });
    sending.on("error", (error) => (cutAfter === undefined ? reject(error) : resolve("")));
    sending.end(body);
  });
}

const message = (text, more = {}) => ({
  message: { messageId: `soak-${process.pid}-${sent}`, role: "ROLE_USER", parts: [{ text }], ...more },
});
const later = (text) => ({ ...message(text), configuration: { returnImmediately: true } });
const taskOf = (answer) => {
  if (answer.result?.task === undefined) throw new Error(JSON.stringify(answer).slice(0, 300));
  return answer.result.task;
};
const expectState = (task, state) => {
  if (task.status.state !== `TASK_STATE_${state}`) throw new Error(`${task.id} is ${task.status.state}, not ${state}`);
};

const KINDS = {
  echo: async () => expectState(taskOf(await call("echo", "SendMessage", message("hello"))), "COMPLETED"),
  delegate: async () => expectState(taskOf(await call("desk", "SendMessage", message("delegate"))), "COMPLETED"),
  retry: async () => expectState(taskOf(await call("desk", "SendMessage", message("retry"))), "COMPLETED"),
  stream: async () => {
    const text = await call("desk", "SendStreamingMessage", message("stream"));
    if (!text.includes("TASK_STATE_COMPLETED")) throw new Error(`a stream ended early: ${text.slice(-300)}`);
  },
  cut: () => call("desk", "SendStreamingMessage", message("stream"), { cutAfter: 200 }),
  cancel: async () => {
    const { id } = taskOf(await call("desk", "SendMessage", later("hang")));
    const { result } = await call("desk", "CancelTask", { id });
    expectState(result, "CANCELED");
  },
  ask: async () => {
    const task = taskOf(await call("desk", "SendMessage", message("ask")));
    expectState(task, "INPUT_REQUIRED");
    const answer = await call(
      "desk",
      "SendMessage",
      message("that one", { taskId: task.id, contextId: task.contextId }),
    );
    expectState(taskOf(answer), "COMPLETED");
  },
  wrong: async () => {
    const answer = await call("echo", "GetTask", { id: "nothing" });
    if (answer.error === undefined) throw new Error("a task that is not there was found");
  },
};

const kinds = Object.entries(KINDS);
const samples = [];
const startedAt = performance.now();
const endsAt = startedAt + minutes * 60_000;
const before = machine();
let running = 0;
let nextSample = startedAt + 30_000;
for (let n = 0; performance.now() < endsAt; n++) {
  const [name, run] = kinds[n % kinds.length];
  while (running >= MOST_IN_FLIGHT) await pause(10);
  running += 1;
  run()
    .then(() => {
      done[name] = (done[name] ?? 0) + 1;
    })
    .catch((error) => failed.push(`${name}: ${error.message}`))
    .finally(() => {
      running -= 1;
    });
  await pause(Math.max(0, startedAt + ((n + 1) * 1000) / perSecond - performance.now()));
  if (performance.now() > nextSample) {
    nextSample += Math.max(15_000, (minutes * 60_000) / 80);
    // What is in flight would count: it is let out first.
    while (running > 0) await pause(10);
    samples.push({ at: Math.round((performance.now() - startedAt) / 1000), ...(await daemon.probe()) });
  }
}
while (running > 0) await pause(10);
agent.destroy();
const rest = await daemon.probe();
await daemon.stop();

const quarter = (n) => samples.slice(Math.floor((samples.length * n) / 4), Math.floor((samples.length * (n + 1)) / 4));
const memory = ["rss", "heap"].map((what) => {
  const [second, last] = [1, 3].map((n) => median(quarter(n).map((sample) => sample[what])));
  return {
    what,
    "second quarter": second,
    "last quarter": last,
    growth: last / second,
    flat: last <= second * MOST_GROWTH,
  };
});
// When everybody has gone, nothing is held that was not held before anybody came.
const held = ["timers", "handles"].map((what) => ({
  what,
  before: atStart[what],
  after: rest[what],
  flat: rest[what] <= atStart[what],
}));
console.log(
  `Node ${before.node}, ${before.cores} cores, ${before.date} UTC: ${minutes} minutes at ${perSecond} requests a second.`,
);
console.log(`done: ${JSON.stringify(done)}; failed: ${failed.length}`);
for (const line of failed.slice(0, 5)) console.log(`  ${line}`);
console.table(memory);
console.table(held);
process.exit(failed.length === 0 && [...memory, ...held].every(({ flat }) => flat) ? 0 : 1);
