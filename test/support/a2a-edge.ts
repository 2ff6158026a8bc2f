import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConfiguredFacts } from "../../src/a2a/server/cards/publication.js";
import { createEdge, type EdgeSettings } from "../../src/a2a/server/edge.js";
import { newApiKey } from "../../src/access/api-key.js";
import type { AccessLimits } from "../../src/access/limits/access-limits.js";
import type { FetchJson } from "../../src/access/oidc/fetch-json.js";
import { SCOPES, type Scope } from "../../src/access/principal.js";
import { type Believed, principalsOf } from "../../src/access/principals-of.js";
import { KeyRing } from "../../src/access/sealing/key-ring.js";
import { createSealer } from "../../src/access/sealing/sealer.js";
import type { Config } from "../../src/config/config.js";
import { composeAccess } from "../../src/daemon/access.js";
import { createHttpServer, type HttpServerOptions } from "../../src/http/server.js";
import type { Persona } from "../../src/personas/persona.js";
import { PersonaRegistry } from "../../src/personas/registry.js";
import { answersWithMessage } from "../../src/runtimes/scripted/match-rule.js";
import { ScriptedRunner } from "../../src/runtimes/scripted/scripted-runner.js";
import { systemClock } from "../../src/shared/clock.js";
import { escapeDangerous } from "../../src/shared/dangerous-characters.js";
import { newId } from "../../src/shared/ids.js";
import { type Database, sqlLedger } from "../../src/store/sql-ledger.js";
import { openSqlite } from "../../src/store/sqlite/open-sqlite.js";
import { TaskFollowers } from "../../src/tasks/follow.js";
import { ledgerTaskService } from "../../src/tasks/ledger-task-service.js";
import type { ToolBox, ToolResult } from "../../src/tasks/runner.js";
import { Worker } from "../../src/tasks/worker.js";
import { createLogger } from "../../src/telemetry/logger.js";
import { type TestPush, testPushes } from "./test-pushes.js";

type Script = Extract<Persona["runtime"], { type: "scripted" }>["rules"];

export function scripted(name: string, rules: Script, rest: Partial<Persona> = {}): Persona {
  return {
    name,
    tenant: "default",
    description: `${name} of the tests`,
    visibility: "private",
    maxConcurrent: 8,
    skills: [],
    capabilities: { allow: [], requireApproval: [] },
    streaming: true,
    push: true,
    extendedCard: true,
    followUps: true,
    runtime: { type: "scripted", rules },
    ...rest,
  };
}

/** The personas that most tests speak to: one that echoes, and one that does what the text says. */
export const echo = scripted("echo", [], { visibility: "public" });
const actor = scripted(
  "actor",
  [
    { when: { turn: 2, text: /^again/ }, steps: [{ ask: "and once more?" }] },
    { when: { turn: 2 }, steps: [{ reply: "you said {{input.text}}" }] },
    { when: { text: /^ask/ }, steps: [{ ask: "which one?" }] },
    { when: { text: /^auth/ }, steps: [{ auth: "log in please" }] },
    { when: { text: /^hang/ }, steps: [{ status: "hanging" }, { hang: true }] },
    { when: { text: /^fail/ }, steps: [{ fail: { text: "it went wrong", retryable: false } }] },
    { when: { text: /^reject/ }, steps: [{ reject: "not today" }] },
    { when: { text: /^bare/ }, steps: [{ message: "just {{input.text}}" }] },
    {
      when: { text: /^stream/ },
      steps: [{ status: "thinking" }, { chunk: "one " }, { chunk: "two " }, { reply: "three" }],
    },
    { when: { text: /^slow/ }, steps: [{ status: "slowly" }, { sleep: 300 }, { reply: "done" }] },
    {
      when: { text: /^parts/ },
      steps: [
        {
          artifact: {
            name: "mixed",
            parts: [{ data: [1, 2] }, { data: { a: 1 } }, { raw: "aGk=", mediaType: "text/plain", filename: "hi.txt" }],
          },
        },
        { complete: "all parts are there" },
      ],
    },
  ],
  { visibility: "public" },
);

interface EdgeOptions {
  versions: ConfiguredFacts["versions"];
  anonymous: boolean;
  blockingTimeoutMs: number;
  defaultAgent: string;
  mode: ConfiguredFacts["mode"];
  publicBaseUrl: string;
  cards: Partial<ConfiguredFacts>;
}

/** What cards say where a test does not say otherwise. */
const testCards: ConfiguredFacts = {
  mode: "development",
  versions: ["1.0", "0.3"],
  version: "0.0.0-test",
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
};

export type Edge = Awaited<ReturnType<typeof startEdge>>;

/** A listener on loopback over a real ledger and worker, in this process. */
export async function startEdge(
  options: {
    personas?: Persona[];
    http?: Partial<HttpServerOptions & EdgeOptions>;
    limits?: Partial<AccessLimits>;
    push?: TestPush;
    access?: Partial<Config["access"]>;
    /** Of documents of identity providers. */
    fetchJson?: FetchJson;
    /** Told of every command and query that the database is given. */
    onDatabase?: () => void;
  } = {},
) {
  const directory = mkdtempSync(join(tmpdir(), "nuncio-edge-"));
  const database = watched(openSqlite(join(directory, "ledger.db")), options.onDatabase);
  const ledger = sqlLedger(database);
  const personas = new PersonaRegistry(options.personas ?? [echo, actor]);
  const rulesOf = (persona: Persona | undefined) => (persona?.runtime.type === "scripted" ? persona.runtime.rules : []);
  const runner = new ScriptedRunner((task) => rulesOf(personas.get(task.tenant, task.persona)), systemClock);
  const faults: unknown[] = [];
  const worker = new Worker({
    ledger,
    owner: newId(),
    clock: systemClock,
    personas: personas.all(),
    runnerFor: () => runner,
    tools: () => NO_TOOLS,
    concurrency: 8,
    leaseMs: 30_000,
    backoffBaseMs: 10,
    backoffMaxMs: 50,
    alone: true,
    onError: (error) => faults.push(error),
  });
  worker.start();
  const access = composeAccess({
    config: { access: { trustBundles: {}, oidc: [], ...options.access } },
    database,
    clock: systemClock,
    alone: true,
    hosted: personas,
    sealer: createSealer(new KeyRing(join(directory, "keys", "access.json"), systemClock)),
    fetchJson: options.fetchJson ?? (() => Promise.reject(new Error("no provider is configured"))),
    logger: createLogger("silent", escapeDangerous),
  });
  await access.load();
  const { keys, tokens } = access;
  const tasks = ledgerTaskService({ ledger, worker, clock: systemClock, maxAttempts: 3 });
  const followers = new TaskFollowers(ledger);
  const onFault = (error: unknown) => faults.push(error);
  const push = testPushes({
    ...{ ledger, directory, onFault },
    mayBeTold: (subject, agent) => edge.gate.wouldAdmit(principalsOf(subject, believed), agent),
    ...options.push,
  });
  const { anonymous = false, blockingTimeoutMs = 60_000, ...rest } = options.http ?? {};
  const { mode = "development", versions = ["1.0", "0.3"], publicBaseUrl, defaultAgent, cards, ...http } = rest;
  const cardFacts: ConfiguredFacts = {
    ...{ ...testCards, mode, publicBaseUrl, versions, defaultAgent },
    security: { ...testCards.security, anonymous },
    ...cards,
  };
  const believed: Believed = { anonymous, trustBundles: {}, oidc: [], ...options.access, hosted: personas };
  const settings: EdgeSettings = {
    ...{ tokens, anonymous, blockingTimeoutMs, cards: cardFacts },
    limits: { streams: 10_000, unauthenticatedPerMinute: 1_000_000, ...options.limits },
  };
  const edge = createEdge({
    ...{ personas, keys, ledger, tasks, followers, clock: systemClock, onFault, ...settings },
    pushes: push.desk,
    answersWithMessage: (persona, message) => answersWithMessage(rulesOf(persona), message, 1),
  });
  const server = createHttpServer({
    options: {
      host: "127.0.0.1",
      port: 0,
      ...http,
    },
    edge,
    agentKeysOf: access.agentKeysOf,
    onFault,
  });
  const { port } = await server.listen();
  const origin = `http://127.0.0.1:${port}`;

  return {
    origin,
    directory,
    database,
    sender: push.sender,
    sealing: push.sealing,
    personas,
    /** As a configuration says; another one may be given to `edge.changed`. */
    settings,
    cardFacts,
    ledger,
    keys,
    access: access.control,
    tasks,
    followers,
    edge,
    server,
    worker,
    /** Errors that were ours: none in a test that passes. */
    faults,
    urlOf: (persona: string) => `${origin}/v1/agents/${persona}/a2a`,
    async key(name: string, key: { tenant?: string; scopes?: readonly Scope[]; expiresAt?: number } = {}) {
      const made = newApiKey();
      const id = newId();
      const { tenant = "default", scopes = SCOPES, expiresAt = null } = key;
      await keys.createKey({
        key: { id, kind: "key", name, tenant, scopes, createdAt: Date.now(), expiresAt, revokedAt: null },
        hash: made.hash,
      });
      return { id, key: made.key, authorization: `Bearer ${made.key}` };
    },
    async stop() {
      access.close();
      edge.close();
      await server.close();
      await worker.drain(0);
      await push.sender.stop(0);
      followers.close();
      await ledger.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const watched = (database: Database, onDatabase?: () => void): Database => ({
  ...database,
  read(query) {
    onDatabase?.();
    return database.read(query);
  },
  write(command) {
    onDatabase?.();
    return database.write(command);
  },
});

const NO_TOOL: ToolResult = { type: "result", value: "no tools here", text: "no tools here", isError: true };
const NO_TOOLS: ToolBox = { descriptors: [], call: async () => NO_TOOL, approve: async () => NO_TOOL };

/** One JSON-RPC call with the headers and body that a test wants. */
export async function rpc(
  url: string,
  body: unknown,
  headers: Record<string, string | undefined> = {},
): Promise<{ status: number; headers: Headers; text: string; json: RpcAnswer }> {
  const sent: Record<string, string> = { "content-type": "application/json" };
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) delete sent[name];
    else sent[name] = value;
  }
  const response = await fetch(url, {
    method: "POST",
    headers: sent,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text.startsWith("{") ? JSON.parse(text) : {},
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type AnyJson = any;

export interface RpcAnswer {
  jsonrpc?: string;
  id?: unknown;
  result?: AnyJson;
  error?: { code: number; message: string; data: AnyJson[] };
}

export const sendV1 = (text: string, rest: object = {}, message: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "SendMessage",
  params: { message: { messageId: newId(), role: "ROLE_USER", parts: [{ text }], ...message }, ...rest },
});

export const callV1 = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });

export interface SseEvent {
  id?: number;
  data: AnyJson;
}

/** Reads a stream as it comes; `next` gives undefined at its end. */
export class SseReader {
  readonly response: Response;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";
  /** Pieces of an event whose end has not come. */
  #pieces: string[] = [];
  comments = 0;

  constructor(response: Response) {
    this.response = response;
    this.#reader = (response.body as ReadableStream<Uint8Array>).getReader();
  }

  static async open(url: string, body: unknown, headers: Record<string, string>): Promise<SseReader> {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return new SseReader(response);
  }

  async next(): Promise<SseEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        const event = parse(block);
        if (event !== null) return event;
        this.comments += 1;
        continue;
      }
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      const piece = this.#decoder.decode(value, { stream: true });
      this.#pieces.push(piece);
      if (!piece.endsWith("\n") && !piece.includes("\n\n")) continue;
      this.#text += this.#pieces.join("");
      this.#pieces = [];
    }
  }

  async rest(): Promise<SseEvent[]> {
    const events: SseEvent[] = [];
    for (let event = await this.next(); event !== undefined; event = await this.next()) events.push(event);
    return events;
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}

function parse(block: string): SseEvent | null {
  const event: SseEvent = { data: undefined };
  for (const line of block.split("\n")) {
    if (line.startsWith("id: ")) event.id = Number(line.slice(4));
    if (line.startsWith("data: ")) event.data = JSON.parse(line.slice(6));
  }
  return event.data === undefined ? null : event;
}
