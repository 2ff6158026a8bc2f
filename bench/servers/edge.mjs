// The composed listener with nothing behind it: what a SendMessage costs on the way in and out. A submission is answered
// at once as completed; nothing is written and nothing is run.
//   edge.mjs [DIST]
import { pathToFileURL } from "node:url";

const dist =
  process.argv[2] === undefined ? new URL("../../dist/", import.meta.url) : pathToFileURL(`${process.argv[2]}/`);
const load = (path) => import(new URL(path, dist).href);
const { createEdge } = await load("a2a/server/edge.js");
const { newApiKey } = await load("access/api-key.js");
const { KeyCache } = await load("access/key-cache.js");
const { createHttpServer } = await load("http/server.js");
const { PersonaRegistry } = await load("personas/registry.js");
const { systemClock } = await load("shared/clock.js");
const { newId } = await load("shared/ids.js");
const { sqlAccessStore } = await load("store/access/access-store.js");
const { openSqlite } = await load("store/sqlite/open-sqlite.js");

const { key, hash } = newApiKey();
const keys = new KeyCache(sqlAccessStore(openSqlite(":memory:")));
await keys.createKey({
  key: {
    id: newId(),
    kind: "key",
    name: "bench",
    tenant: "default",
    scopes: ["runs:execute"],
    createdAt: Date.now(),
    expiresAt: null,
    revokedAt: null,
  },
  hash,
});

const echo = {
  name: "echo",
  tenant: "default",
  description: "",
  visibility: "public",
  streaming: true,
  push: true,
  extendedCard: true,
  followUps: true,
  skills: [],
  runtime: { type: "scripted", rules: [] },
};

const tasks = {
  async submit({ tenant, persona, principal, trigger, message }) {
    const id = newId();
    const now = Date.now();
    const task = {
      id,
      tenant,
      contextId: newId(),
      persona,
      principal,
      trigger,
      state: "processing",
      waitingFor: null,
      askingChildId: null,
      parentId: null,
      rootId: id,
      hop: 0,
      turn: 1,
      attempt: 1,
      seq: 1,
      retryOf: null,
      runAt: now,
      inputTokens: 0,
      outputTokens: 0,
      createdAt: now,
      updatedAt: now,
      message,
    };
    return { task, created: true };
  },
};
const followers = {
  async untilSettled(task) {
    const artifacts = [{ artifactId: "result", name: "result", parts: task.history[0].parts }];
    return { ...task, state: "completed", started: true, artifacts };
  },
};

const onFault = (error) => console.error(error);
const edge = createEdge({
  personas: new PersonaRegistry([echo]),
  keys,
  clock: systemClock,
  ledger: {},
  tasks,
  followers,
  answersWithMessage: () => false,
  anonymous: false,
  limits: { streams: 10_000, unauthenticatedPerMinute: 1_000_000 },
  blockingTimeoutMs: 60_000,
  cards: {
    mode: "development",
    versions: ["1.0", "0.3"],
    version: "0",
    rest: false,
    push: false,
    security: { anonymous: false, agentTokenAudience: () => undefined, oidc: [] },
    about: {},
    limits: {
      maxRequestBytes: 1024 * 1024,
      maxPendingTasks: 10_000,
      blockingTimeoutMs: 60_000,
      maxHops: 4,
      maxOpenCalls: 10_000,
    },
  },
  onFault,
});
const server = createHttpServer({
  options: {
    host: "127.0.0.1",
    port: 0,
  },
  edge,
  onFault,
});
const { port } = await server.listen();
console.log(`key ${key} listening ${port}`);
process.once("SIGTERM", () => server.close().then(() => process.exit()));
