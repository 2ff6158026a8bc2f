import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { OperationName } from "../../src/a2a/server/operations/operation.js";
import type { AgentName } from "../../src/access/agent-name.js";
import { spiffeIdOf } from "../../src/access/agent-tokens/our-spiffe-id.js";
import type { AgentPolicy } from "../../src/access/policy/agent-policy.js";
import type { Scope } from "../../src/access/principal.js";
import { fetchJsonOver } from "../../src/daemon/fetch-json.js";
import { createOutbound } from "../../src/outbound/outbound.js";
import { newId } from "../../src/shared/ids.js";
import type { JsonObject } from "../../src/shared/json.js";
import { scripted } from "../support/a2a-edge.js";
import { type Binding, endpointOf, getDocument, grpc, type Heard, jsonRpc, rest } from "../support/every-binding.js";
import { startGrpcEdge } from "../support/grpc-edge.js";
import { startIdentityProvider } from "../support/identity-provider.js";
import {
  AGENT_ACTIONS,
  type Cell,
  type Row,
  TASK_ACTIONS,
  type Visibility,
  WHO_MAY_WHAT,
  type Where,
  type Whose,
} from "../support/who-may-what.js";

const DOMAIN = "example.com";
const BASE = "https://agents.example.com";
const ADMITTED = "spiffe://partner.example/admitted";
const STRANGER = "spiffe://partner.example/stranger";

/** Agents of the callers' tenant that call others. */
const CALLERS = ["both-policies", "its-policy", "the-others", "no-policy"] as const;
const idOf = (name: string) => spiffeIdOf(DOMAIN, { tenant: "acme", name });
const calls: AgentPolicy = { mode: "enforce", tools: [], a2aTargets: [`${BASE}/*`], egressHosts: [] };
const takes: AgentPolicy = {
  ...{ mode: "enforce", tools: [], a2aTargets: [], egressHosts: [] },
  a2aInbound: { agents: [idOf("both-policies"), idOf("the-others"), ADMITTED] },
};
const POLICIES: Record<(typeof CALLERS)[number], AgentPolicy | undefined> = {
  "both-policies": calls,
  "its-policy": calls,
  "the-others": { ...calls, a2aTargets: ["https://elsewhere.example.com/*"] },
  "no-policy": undefined,
};
const targetIn = (tenant: string, visibility: Visibility): AgentName => ({ tenant, name: `${visibility}-desk` });

/** A caller as one row of the table means it. */
interface Caller {
  subject: string;
  /** What it shows to this agent. */
  shows(agent: AgentName): Promise<Record<string, string>>;
  /** Nobody makes it a token for an agent of ours that is not there. */
  onlyForThoseWhoAreThere?: true;
}

const partner = generateKeyPairSync("ec", { namedCurve: "P-256" });

/** A house with agents in two tenants, one of which the callers belong to. */
async function startHouse(home: string, anonymous: boolean) {
  const directory = mkdtempSync(join(tmpdir(), "nuncio-matrix-"));
  const jwksFile = join(directory, "partner.jwks.json");
  writeFileSync(jwksFile, JSON.stringify({ keys: [{ ...partner.publicKey.export({ format: "jwk" }), kid: "p1" }] }));
  const provider = await startIdentityProvider();
  const oidc = (["runs:execute", "tasks:read"] as const).map((_, at, scopes) => ({
    ...{ issuer: provider.issuer, audience: `scopes-${at + 1}`, tenant: home },
    scopes: scopes.slice(0, at + 1) as Scope[],
  }));
  const outbound = createOutbound({ mode: "production", allow: [] });
  const house = await startGrpcEdge({
    personas: [
      ...[home, "elsewhere"].flatMap((tenant) =>
        (["private", "public"] as const).map((visibility) =>
          scripted(targetIn(tenant, visibility).name, [{ steps: [{ hang: true }] }], {
            ...{ tenant, visibility, policy: takes },
          }),
        ),
      ),
      ...CALLERS.map((name) => scripted(name, [], { tenant: "acme", policy: POLICIES[name] })),
    ],
    http: { publicBaseUrl: BASE, anonymous },
    access: { trustDomain: DOMAIN, trustBundles: { "partner.example": { jwksFile } }, oidc },
    fetchJson: fetchJsonOver(async () => outbound),
  });
  const { edge } = house;
  const user = async (name: string, ...scopes: Scope[]): Promise<Caller> => {
    const { authorization } = await edge.key(name, { tenant: home, scopes });
    return { subject: `user:${home}/${name}`, shows: async () => ({ authorization }) };
  };
  const oidcUser = async (audience: string): Promise<Caller> => {
    const authorization = `Bearer ${await provider.token({ aud: audience })}`;
    return { subject: `oidc:${provider.issuer}#ada`, shows: async () => ({ authorization }) };
  };
  const shownOnce = (make: (agent: AgentName) => Promise<string>) => {
    const tokens = new Map<string, Promise<string>>();
    return async (agent: AgentName) => {
      const audience = spiffeIdOf(DOMAIN, agent);
      const token = tokens.get(audience) ?? make(agent);
      tokens.set(audience, token);
      return { "x-nuncio-agent-token": await token };
    };
  };
  const ownAgent = (name: (typeof CALLERS)[number]): Caller => ({
    onlyForThoseWhoAreThere: true,
    subject: `agent:${idOf(name)}`,
    shows: shownOnce(
      async (agent) =>
        (await edge.access.agentTokens.mint({ tenant: "acme", name }, spiffeIdOf(DOMAIN, agent), 120_000)).token,
    ),
  });
  const foreignAgent = (sub: string): Caller => ({
    subject: `agent:${sub}`,
    shows: shownOnce((agent) =>
      new SignJWT({ sub, aud: spiffeIdOf(DOMAIN, agent), exp: Math.floor(Date.now() / 1000) + 120 })
        .setProtectedHeader({ alg: "ES256", kid: "p1" })
        .sign(partner.privateKey),
    ),
  });
  const callers: Record<string, Caller> = anonymous
    ? { anonymous: { subject: "anonymous", shows: async () => ({}) } }
    : {
        nobody: { subject: "", shows: async () => ({}) },
        "user, runs:execute": await user("executor", "runs:execute"),
        "user, tasks:read": await user("reader", "tasks:read"),
        "user, both": await user("both", "runs:execute", "tasks:read"),
        "user, neither": await user("neither"),
        "OIDC user, runs:execute": await oidcUser("scopes-1"),
        "OIDC user, both": await oidcUser("scopes-2"),
        "own agent, both policies": ownAgent("both-policies"),
        "own agent, only its policy": ownAgent("its-policy"),
        "own agent, only the other's": ownAgent("the-others"),
        "own agent, none": ownAgent("no-policy"),
        "foreign agent, admitted": foreignAgent(ADMITTED),
        "foreign agent, not admitted": foreignAgent(STRANGER),
      };
  const oidcCaller = callers["OIDC user, both"];
  if (oidcCaller !== undefined) {
    // With its keys here nobody waits for the provider any more, who may be late on a machine that is busy otherwise.
    const agent = targetIn(home, "private");
    const card = `${endpointOf(edge.origin, agent)}/.well-known/agent-card.json`;
    const isKnown = async () => expect((await getDocument(card, await oidcCaller.shows(agent))).outcome).toBe("done");
    await vi.waitFor(isKnown, { timeout: 50_000, interval: 200 });
  }
  const bindings: Record<string, Binding> = {
    "JSON-RPC": jsonRpc(edge.origin),
    REST: rest(edge.origin),
    gRPC: grpc(house.address),
  };
  return {
    ...{ house, edge, callers, bindings },
    tenantAt: (where: Where) => (where === "same tenant" ? home : "elsewhere"),
    async taskOf(principal: string, { tenant, name }: AgentName): Promise<string> {
      const message = { messageId: newId(), role: "user" as const, parts: [{ text: "work" }] };
      const submitted = await edge.tasks.submit({
        ...{ tenant, persona: name, principal, trigger: "a2a", message, bodyHash: newId() },
      });
      return submitted.task.id;
    },
    async stop() {
      for (const binding of Object.values(bindings)) binding.close();
      expect(edge.faults).toEqual([]);
      await house.close();
      await provider.stop();
      rmSync(directory, { recursive: true });
    },
  };
}

type House = Awaited<ReturnType<typeof startHouse>>;

const cellOf = (row: Row, where: Where, visibility: Visibility, action: (typeof AGENT_ACTIONS)[number]): Cell =>
  row.agents[where][visibility].charAt(AGENT_ACTIONS.indexOf(action)) as Cell;

const taskCellOf = (row: Row, where: Where, whose: Whose, action: (typeof TASK_ACTIONS)[number]): Cell =>
  row.tasks[where][whose].charAt(TASK_ACTIONS.indexOf(action)) as Cell;

/** The first one that does not let the caller pass. */
const firstNo = (...cells: Cell[]): Cell => cells.find((cell) => cell !== "y") ?? "y";

const SYMBOLS: Record<Heard["outcome"], Cell> = {
  done: "y",
  "other error": "y",
  absent: ".",
  unauthenticated: "1",
  scope: "s",
  policy: "p",
};

const message = (): JsonObject => ({ messageId: newId(), role: "ROLE_USER", parts: [{ text: "work" }] });
const atOnce: JsonObject = { returnImmediately: true };

interface Asked {
  operation: OperationName;
  params(taskId: string): JsonObject;
}

/** Operations on the agent, by what they need beyond being let in. */
const ON_AGENT: [action: (typeof AGENT_ACTIONS)[number], Asked][] = [
  ["agent:extendedCard", { operation: "extendedCard", params: () => ({}) }],
  ["agent:call", { operation: "list", params: () => ({}) }],
  ["agent:execute", { operation: "send", params: () => ({ message: message(), configuration: atOnce }) }],
  ["agent:execute", { operation: "stream", params: () => ({ message: message(), configuration: atOnce }) }],
];

const ON_TASK: [action: (typeof TASK_ACTIONS)[number], Asked][] = [
  ["task:read", { operation: "get", params: (id) => ({ id }) }],
  ["task:read", { operation: "subscribe", params: (id) => ({ id }) }],
  ["task:list", { operation: "list", params: () => ({ pageSize: 100 }) }],
  ["task:change", { operation: "send", params: (taskId) => ({ message: { ...message(), taskId } }) }],
  ["task:push", { operation: "createPush", params: (taskId) => ({ taskId, url: "http://127.0.0.1:1/" }) }],
  ["task:push", { operation: "getPush", params: (taskId) => ({ taskId, id: "x" }) }],
  ["task:push", { operation: "listPush", params: (taskId) => ({ taskId }) }],
  ["task:push", { operation: "deletePush", params: (taskId) => ({ taskId, id: "x" }) }],
  // The last one: it leaves nothing that could be done.
  ["task:change", { operation: "cancel", params: (id) => ({ id }) }],
];

/** What changes something, and so needs the right to have work done as well. */
const NEEDS_EXECUTE = ["task:change", "task:push"];

/** The operator and peers come by listeners of their own. */
const ROWS = WHO_MAY_WHAT.filter(({ who }) => who !== "operator" && !who.startsWith("peer,"));
const PLACES = (["same tenant", "other tenant"] as const).flatMap((where) =>
  (["private", "public"] as const).map((visibility) => ({ where, visibility })),
);
const WHOSE = ["own", "other's"] as const;
const COUNT = ROWS.length * PLACES.length * (2 + 3 * (ON_AGENT.length + WHOSE.length * ON_TASK.length));

describe("who may do what, over the listeners", () => {
  const houses: Record<"strict" | "open", House> = {} as never;
  beforeAll(async () => {
    houses.strict = await startHouse("acme", false);
    houses.open = await startHouse("default", true);
  });
  afterAll(async () => {
    await houses.strict.stop();
    await houses.open.stop();
  });

  let checked = 0;

  it.each(ROWS)("R6 E4 E5 E6 E7 E10 E24 E25 is as the table says: $who", async (row) => {
    const house = row.who === "anonymous" ? houses.open : houses.strict;
    const caller = house.callers[row.who] as Caller;
    await Promise.all(PLACES.map((place) => checkPlace(house, row, caller, place)));
  });

  it(`R6 that was ${COUNT} calls of every operation on every binding`, () => {
    expect(checked).toBe(COUNT);
  });

  async function checkPlace(house: House, row: Row, caller: Caller, place: (typeof PLACES)[number]): Promise<void> {
    const { where, visibility } = place;
    const tenant = house.tenantAt(where);
    const agent = targetIn(tenant, visibility);
    const nowhere: AgentName = { tenant, name: "nowhere" };
    const headers = await caller.shows(agent);
    const elsewhere = caller.onlyForThoseWhoAreThere ? headers : await caller.shows(nowhere);
    const expected = (action: (typeof AGENT_ACTIONS)[number]) => cellOf(row, where, visibility, action);

    const documents: [(typeof AGENT_ACTIONS)[number], (agent: AgentName) => string][] = [
      ["agent:card", (one) => `${endpointOf(house.edge.origin, one)}/.well-known/agent-card.json`],
      ["agent:keys", (one) => `${house.edge.origin}/.well-known/nuncio-agent-keys/${agentIdIn(one)}`],
    ];
    for (const [action, url] of documents) {
      const heard = await getDocument(url(agent), headers);
      note({ row, place, what: action }, heard, expected(action));
      if (heard.outcome === "absent") expect(heard).toEqual(await getDocument(url(nowhere), elsewhere));
    }

    for (const [name, binding] of Object.entries(house.bindings)) {
      // There the agent is known from the message, of which nothing is read for somebody unknown.
      const hidden = (cell: Cell): Cell => (name === "gRPC" && row.who === "nobody" ? "1" : cell);
      for (const [action, { operation, params }] of ON_AGENT) {
        const heard = await binding.call(operation, agent, params(""), headers);
        const cell = hidden(firstNo(expected("agent:call"), expected(action)));
        note({ row, place, what: `${name} ${operation}` }, heard, cell);
        if (heard.outcome !== "absent") continue;
        const { shown } = await binding.call(operation, nowhere, params(""), elsewhere);
        expect(heard.shown, `${name} ${operation}`).toEqual(shown);
      }
      for (const whose of WHOSE) {
        const maker = whose === "own" && caller.subject !== "" ? caller.subject : "user:acme/somebody-else";
        const taskId = await house.taskOf(maker, agent);
        for (const [action, { operation, params }] of ON_TASK) {
          const what = `${name} ${operation} of ${whose} task`;
          const heard = await binding.call(operation, agent, params(taskId), headers);
          const own = NEEDS_EXECUTE.includes(action) ? expected("agent:execute") : "y";
          const cell = hidden(firstNo(expected("agent:call"), own, taskCellOf(row, where, whose, action)));
          note({ row, place, what }, operation === "list" ? listed(heard, taskId) : heard, cell);
          if (cell !== "." || operation === "list") continue;
          const noTask = newId();
          const absent = await binding.call(operation, agent, params(noTask), headers);
          expect(unnamed(heard.shown, taskId), what).toEqual(unnamed(absent.shown, noTask));
        }
      }
    }
  }

  function note(cell: { row: Row; place: object; what: string }, { outcome }: Heard, expected: Cell): void {
    checked += 1;
    const { row, place, what } = cell;
    expect({ who: row.who, ...place, what, heard: SYMBOLS[outcome] }).toEqual({
      ...{ who: row.who, ...place, what, heard: expected },
    });
  }
});

const agentIdIn = ({ tenant, name }: AgentName): string => (tenant === "default" ? name : `${tenant}/${name}`);

/** As if the task itself had been asked for. */
const listed = (heard: Heard, taskId: string): Heard => {
  if (heard.outcome !== "done") return heard;
  const tasks = (heard.result.tasks ?? []) as { id: string }[];
  return { ...heard, outcome: tasks.some(({ id }) => id === taskId) ? "done" : "absent" };
};

const unnamed = (shown: unknown, taskId: string): unknown => JSON.parse(JSON.stringify(shown).replaceAll(taskId, "ID"));
