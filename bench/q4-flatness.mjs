import { mkdirSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { connect } from "../dist/client/control-client.js";
import { controlSocketPath } from "../dist/shared/control-socket.js";
import { sqlLedger } from "../dist/store/sql-ledger.js";
import { openSqlite } from "../dist/store/sqlite/open-sqlite.js";
import { ledgerOf } from "./ledger-file.mjs";
import { startNuncio } from "./processes.mjs";
import { PERSONAS } from "./seed.mjs";
import { median } from "./statistics.mjs";

const FEW = 1000;
const PAGE = 50;
/** Operations between two looks at the clock, so that both ledgers meet the same noise. */
const BLOCK = 50;

/** What is pending for the first personas is begun and stays so: whatever is measured finds slots of its own. */
const CONFIG = `
dataDir: ./data
server: { port: 0 }
queue: { concurrency: 32, drainMs: 0 }
personas:
  - { name: echo, runtime: scripted, visibility: public, script: [] }
${PERSONAS.slice(0, 3)
  .map((name) => `  - { name: ${name}, runtime: scripted, visibility: public, script: [{ steps: [{ hang: true }] }] }`)
  .join("\n")}
`;

/**
 * Q4: the same operations on a ledger of 1,000 tasks and on one of 1,000,000, in turn: first through the port of the
 * ledger, which is the work itself, then as a caller or an operator sees them. Single tasks are taken at random from the
 * whole ledger. Lists of a caller are also taken from two ledgers in which all of the tasks are its own.
 */
export async function q4({ directory, rounds, many, say }) {
  const home = join(directory, "q4");
  const homes = { few: join(home, "few"), many: join(home, "many") };
  const ofOne = { few: join(home, "few-of-one"), many: join(home, "many-of-one") };
  for (const path of [...Object.values(homes), ...Object.values(ofOne)])
    mkdirSync(join(path, "data"), { recursive: true });
  await ledgerOf(FEW, join(homes.few, "data", "ledger.db"), say);
  await ledgerOf(many, join(homes.many, "data", "ledger.db"), say);
  await ledgerOf(FEW, join(ofOne.few, "data", "ledger.db"), say, { oneCaller: true });
  await ledgerOf(many, join(ofOne.many, "data", "ledger.db"), say, { oneCaller: true });
  const inProcess = await throughThePort(homes, 4 * rounds);
  const outside = await fromOutside(homes, 4 * rounds);
  const listed = await listsOfOne(ofOne, 4 * rounds);
  return [...inProcess, ...listed, ...outside].map(({ what, few, many: big }) => ({
    id: "Q4",
    what,
    goal: 1.3,
    atMost: true,
    figure: median(big.map((ms, round) => ms / few[round])),
    detail: `${micros(big)} µs against ${micros(few)} µs`,
  }));
}

const micros = (times) => Math.round(median(times) * 1000);

/** Runs each operation on both in turn; answers with the ms of one operation, for each round. */
async function inTurn(operations, sides, rounds) {
  const measured = [];
  for (const [what, { run, times = BLOCK }] of Object.entries(operations)) {
    const taken = { few: [], many: [] };
    for (let round = 0; round <= rounds; round++) {
      for (const side of round % 2 === 0 ? ["few", "many"] : ["many", "few"]) {
        const startedAt = performance.now();
        for (let i = 0; i < times; i++) await run(sides[side]);
        // The first round warms up.
        if (round > 0) taken[side].push((performance.now() - startedAt) / times);
      }
    }
    measured.push({ what, ...taken });
  }
  return measured;
}

async function throughThePort(homes, rounds) {
  const open = async (path) => {
    const ledger = sqlLedger(openSqlite(join(path, "data", "ledger.db")));
    return { ledger, view: ledger.forTenant("default"), ids: await someIds(ledger), claimed: 0 };
  };
  const sides = { few: await open(homes.few), many: await open(homes.many) };
  const next = (side) => side.ids[Math.floor(Math.random() * side.ids.length)];
  const measured = await inTurn(
    {
      "get, task": { run: (side) => side.view.task(next(side)) },
      "get, with all that was said and made": { run: (side) => side.view.snapshot(next(side)) },
      "list of a tenant, 50 newest": { run: ({ view }) => view.list({ limit: PAGE }) },
      "list of all tenants, 50 newest": { run: ({ ledger }) => ledger.system.list({ limit: PAGE }) },
      // Five at once share a commit, as they do in a busy daemon; there must be enough to claim in the small ledger.
      claim: { run: claimFive, times: 1 },
    },
    sides,
    rounds,
  );
  for (const { ledger } of Object.values(sides)) await ledger.close();
  return measured;
}

/** ListTasks as the operation asks for it: a page, and how many tasks there are in all. */
async function listsOfOne(homes, rounds) {
  const open = async (path) => {
    const ledger = sqlLedger(openSqlite(join(path, "data", "ledger.db")));
    const query = {
      persona: PERSONAS[7],
      limit: PAGE,
      historyLength: 100,
      artifacts: false,
      mostCharacters: 2_000_000,
    };
    const { next } = await ledger.forTenant("default").listed({ ...query, limit: FEW / 2, now: Date.now() });
    return { ledger, view: ledger.forTenant("default"), query, next };
  };
  const sides = { few: await open(homes.few), many: await open(homes.many) };
  const list = async ({ view, query, next }, over) => {
    const { tasks, total } = await view.listed({ ...query, ...over(next), now: Date.now() });
    if (tasks.length !== PAGE || total < FEW) throw new Error(`a page of ${tasks.length} tasks, ${total} in all`);
  };
  const principal = "user:0";
  const measured = await inTurn(
    {
      "ListTasks, the caller's own": { run: (side) => list(side, () => ({ principal })) },
      "ListTasks, a page further down": { run: (side) => list(side, (after) => ({ principal, after })) },
      "ListTasks, those of all callers": { run: (side) => list(side, () => ({})) },
    },
    sides,
    rounds,
  );
  for (const { ledger } of Object.values(sides)) await ledger.close();
  return measured;
}

async function claimFive(side) {
  const claims = Array.from({ length: 5 }, async () => {
    const name = PERSONAS[side.claimed++ % PERSONAS.length];
    const personas = [{ tenant: "default", name, free: 1 }];
    const now = Date.now();
    const offer = { owner: "bench", leaseMs: 3_600_000, leaseUntil: now + 3_600_000 };
    return side.ledger.system.claim({ ...offer, now, limit: 1, personas });
  });
  for (const { claims: taken } of await Promise.all(claims)) {
    if (taken.length !== 1) throw new Error("there was nothing left to claim");
  }
}

/** Tasks of the first tenant, from all over its ledger. */
async function someIds(ledger) {
  const ids = [];
  const view = ledger.forTenant("default");
  const newest = (await view.list({ limit: 1 })).items[0].id;
  const from = Number.parseInt(newest.slice(0, 8), 16);
  const span = Math.ceil((30 * 86_400_000) / 65_536);
  for (let i = 0; i < 1000; i++) {
    // An id of that time need not exist: the list goes on from there.
    const time = (from - Math.floor(Math.random() * span * 0.99)).toString(16).padStart(8, "0");
    const cursor = Buffer.from(`${time}${newest.slice(8)}`).toString("base64url");
    const [task] = (await view.list({ limit: 1, cursor })).items;
    if (task !== undefined) ids.push(task.id);
  }
  return ids;
}

async function fromOutside(homes, rounds) {
  const sides = {};
  for (const [side, path] of Object.entries(homes)) {
    const ledger = sqlLedger(openSqlite(join(path, "data", "ledger.db")));
    const tasks = [];
    for (const id of await someIds(ledger)) tasks.push(await ledger.forTenant("default").task(id));
    await ledger.close();
    const daemon = await startNuncio(path, CONFIG, { scopes: ["runs:execute", "tasks:read"] });
    const control = connect(controlSocketPath(join(path, "data")));
    const ids = tasks.filter(({ persona }) => persona === PERSONAS[0]).map(({ id }) => id);
    sides[side] = { ...daemon, control, ids, post: poster(daemon), sent: 0 };
  }
  const measured = await inTurn(
    {
      "A2A GetTask": {
        run: (side) => side.post(PERSONAS[0], "GetTask", { id: side.ids[Math.floor(Math.random() * side.ids.length)] }),
      },
      "A2A SendMessage, blocking": {
        run: (side) =>
          side.post("echo", "SendMessage", {
            message: { messageId: `m-${side.sent++}-${Date.now()}`, role: "ROLE_USER", parts: [{ text: "hello" }] },
          }),
      },
      "nuncio task list": { run: ({ control }) => control.tasks({ limit: PAGE }) },
    },
    sides,
    rounds,
  );
  await Promise.all(Object.values(sides).map(({ stop }) => stop()));
  return measured;
}

/** One call after another on one connection. */
function poster({ port, key }) {
  return (persona, method, params) =>
    new Promise((resolve, reject) => {
      const call = request(
        {
          port,
          host: "127.0.0.1",
          method: "POST",
          path: `/v1/agents/${persona}/a2a`,
          headers: {
            "content-type": "application/json",
            "a2a-version": "1.0",
            authorization: `Bearer ${key}`,
          },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (chunk) => {
            text += chunk;
          });
          response.on("end", () => {
            const answer = JSON.parse(text);
            if (answer.result === undefined) reject(new Error(`${method}: ${text}`));
            else resolve(answer.result);
          });
        },
      );
      call.on("error", reject);
      call.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    });
}
