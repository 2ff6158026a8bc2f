import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spiffeIdOf } from "../../src/access/agent-tokens/our-spiffe-id.js";
import type { AgentPolicy } from "../../src/access/policy/agent-policy.js";
import { callV1, rpc, SseReader, scripted, sendV1 } from "../support/a2a-edge.js";
import { grpc, type Heard, jsonRpc, rest } from "../support/every-binding.js";
import { type GrpcEdge, startGrpcEdge } from "../support/grpc-edge.js";

const V1 = { "a2a-version": "1.0" };
const hang = [{ steps: [{ status: "on it" }, { hang: true } as const] }];
const DESK = { tenant: "default", name: "desk" };
const NOWHERE = { tenant: "default", name: "nowhere" };
const LIST = callV1("ListTasks", {});

const bindingsOf = (house: GrpcEdge) =>
  [
    ["JSON-RPC", jsonRpc(house.edge.origin)],
    ["REST", rest(house.edge.origin)],
    ["gRPC", grpc(house.address)],
  ] as const;

const inSeconds = ({ headers }: { headers: Headers }): number => Number(headers.get("retry-after"));

describe("limits of what is asked in a minute", () => {
  let house: GrpcEdge;
  beforeAll(async () => {
    house = await startGrpcEdge({
      personas: [scripted("desk", [], { visibility: "public" }), scripted("secret", [], { tenant: "acme" })],
      limits: { requestsPerMinute: 3, unauthenticatedPerMinute: 8 },
    });
  });
  afterAll(async () => {
    expect(house.edge.faults).toEqual([]);
    await house.close();
  });
  const shows = async (name: string) => ({ authorization: (await house.edge.key(name)).authorization });

  it("E24 a caller that asks too often hears when it may ask again, over all of its keys and every binding", async () => {
    const keys = [await shows("busy"), await shows("busy")];
    for (const at of [0, 1, 0]) {
      expect((await rpc(house.edge.urlOf("desk"), LIST, { ...V1, ...keys[at] })).status).toBe(200);
    }
    const refused = await rpc(house.edge.urlOf("desk"), LIST, { ...V1, ...keys[0] });
    expect([refused.status, refused.json.error?.code]).toEqual([429, -32000]);
    expect(inSeconds(refused)).toBeGreaterThan(0);
    expect(inSeconds(refused)).toBeLessThanOrEqual(60);
    for (const [name, binding] of bindingsOf(house)) {
      // Whether there is such an agent does not show.
      const [there, absent] = [
        await binding.call("list", DESK, {}, keys[1] as Record<string, string>),
        await binding.call("list", NOWHERE, {}, keys[1] as Record<string, string>),
      ];
      expect(there.outcome, name).toBe("other error");
      expect(JSON.stringify(there.shown), name).toContain("RESOURCE_EXHAUSTED");
      expect(ignoringTime(there), name).toEqual(ignoringTime(absent));
      binding.close();
    }
    const another = await rpc(house.edge.urlOf("desk"), LIST, { ...V1, ...(await shows("somebody-else")) });
    expect(another.status).toBe(200);
  });

  it("E24 an address that shows nothing valid too often is told no more than that; whoever is known is let in", async () => {
    const known = await shows("known");
    const secret = `${house.edge.origin}/v1/tenants/acme/agents/secret/a2a`;
    const tries: [string, Record<string, string>][] = [
      [house.edge.urlOf("desk"), V1],
      [house.edge.urlOf("desk"), { ...V1, authorization: "Bearer x" }],
      [secret, V1],
      [house.edge.urlOf("nowhere"), V1],
    ];
    for (const [url, headers] of [...tries, ...tries]) {
      expect((await rpc(url, LIST, headers)).status).toBe(url === house.edge.urlOf("desk") ? 401 : 404);
    }
    const refused = await Promise.all(tries.map(([url, headers]) => rpc(url, LIST, headers)));
    expect(refused.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
    expect(new Set(refused.map(({ text }) => text.replace(/\d+/g, "N"))).size).toBe(1);
    const overGrpc = grpc(house.address);
    expect(JSON.stringify((await overGrpc.call("list", DESK, {}, {})).shown)).toContain("RESOURCE_EXHAUSTED");
    overGrpc.close();
    expect((await rpc(house.edge.urlOf("desk"), LIST, { ...V1, ...known })).status).toBe(200);
    // What everybody may see is no attempt to get in.
    expect((await fetch(`${house.edge.urlOf("desk")}/.well-known/agent-card.json`)).status).toBe(200);
  });
});

describe("limits of agents and of what is open", () => {
  const DOMAIN = "example.com";
  const policy = (over: Partial<AgentPolicy>): AgentPolicy => ({
    ...{ mode: "enforce", tools: [], a2aTargets: [], egressHosts: [] },
    ...over,
  });
  const caller = policy({ a2aTargets: ["https://agents.example.com/*"] });
  const takes = policy({ a2aInbound: { agents: [`spiffe://${DOMAIN}/*`], maxA2AInboundPerMinute: 2 } });
  let house: GrpcEdge;
  beforeAll(async () => {
    house = await startGrpcEdge({
      personas: [
        scripted("desk", [], { visibility: "public", policy: takes }),
        scripted("other-desk", [], { visibility: "public", policy: takes }),
        scripted("slow", hang, { visibility: "public" }),
        scripted("scout", [], { policy: caller }),
        scripted("ranger", [], { policy: caller }),
      ],
      http: { publicBaseUrl: "https://agents.example.com" },
      access: { trustDomain: DOMAIN },
      limits: { streams: 2 },
    });
  });
  afterAll(async () => {
    expect(house.edge.faults).toEqual([]);
    await house.close();
  });
  const tokenOf = async (name: string, target = "desk") => ({
    "x-nuncio-agent-token": (
      await house.edge.access.agentTokens.mint(
        { tenant: "default", name },
        spiffeIdOf(DOMAIN, { tenant: "default", name: target }),
        60_000,
      )
    ).token,
  });

  it("E7 each agent may call each other one as often as that one takes; over it 429 with Retry-After", async () => {
    const scout = await tokenOf("scout");
    const call = (headers: Record<string, string>, agent = "desk") =>
      rpc(house.edge.urlOf(agent), sendV1("hi"), { ...V1, ...headers });
    expect((await call(scout)).status).toBe(200);
    expect((await call(scout)).status).toBe(200);
    const refused = await call(scout);
    expect([refused.status, refused.json.error?.code]).toEqual([429, -32000]);
    expect(inSeconds(refused)).toBeGreaterThan(50);
    expect(inSeconds(refused)).toBeLessThanOrEqual(60);
    // Another token of the same agent changes nothing, nor does another binding.
    expect((await call(await tokenOf("scout"))).status).toBe(429);
    for (const [name, binding] of bindingsOf(house)) {
      const heard = await binding.call("list", DESK, {}, scout);
      expect(JSON.stringify(heard.shown), name).toContain("RESOURCE_EXHAUSTED");
      binding.close();
    }
    expect((await call(await tokenOf("ranger"))).status).toBe(200);
    expect((await call(await tokenOf("scout", "other-desk"), "other-desk")).status).toBe(200);
    const user = { authorization: (await house.edge.key("user")).authorization };
    for (let n = 0; n < 4; n++) expect((await call(user)).status).toBe(200);
  });

  it("E24 a caller may have so many streams and waiting calls open, over every binding; one that ends makes room", async () => {
    const { authorization } = await house.edge.key("watcher");
    const headers = { ...V1, authorization };
    const url = house.edge.urlOf("slow");
    const open = () => SseReader.open(url, { ...sendV1("go"), method: "SendStreamingMessage" }, headers);
    const first = await open();
    const task = (await first.next())?.data.result.task;
    const second = await SseReader.open(url, callV1("SubscribeToTask", { id: task.id }), headers);
    await second.next();
    const refused = await rpc(url, { ...sendV1("go"), method: "SendStreamingMessage" }, headers);
    expect([refused.status, refused.json.error?.code]).toEqual([429, -32000]);
    expect((await rpc(url, sendV1("waits"), headers)).status).toBe(429);
    for (const [name, binding] of bindingsOf(house)) {
      const heard = await binding.call("subscribe", { ...DESK, name: "slow" }, { id: task.id }, { authorization });
      expect(JSON.stringify(heard.shown), name).toContain("RESOURCE_EXHAUSTED");
      binding.close();
    }
    // What waits for nothing is no such call, and others are not concerned.
    expect((await rpc(url, callV1("GetTask", { id: task.id }), headers)).status).toBe(200);
    const { authorization: others } = await house.edge.key("another-watcher");
    const theirs = await SseReader.open(
      url,
      { ...sendV1("go"), method: "SendStreamingMessage" },
      { ...V1, authorization: others },
    );
    expect((await theirs.next())?.data.result.task).toBeDefined();
    await theirs.cancel();

    const before = house.edge.edge.calls.size;
    await first.cancel();
    await expect.poll(() => house.edge.edge.calls.size).toBeLessThan(before);
    const third = await open();
    expect((await third.next())?.data.result.task).toBeDefined();
    await Promise.all([second.cancel(), third.cancel()]);
    await expect.poll(() => house.edge.edge.calls.size).toBe(0);
  });

  it("E24 a refused call has left nothing behind", async () => {
    const { authorization } = await house.edge.key("thrifty", { scopes: ["runs:execute"] });
    const headers = { ...V1, authorization };
    const streams = await Promise.all(
      [1, 2].map(() =>
        SseReader.open(house.edge.urlOf("slow"), { ...sendV1("go"), method: "SendStreamingMessage" }, headers),
      ),
    );
    const ids = await Promise.all(streams.map(async (stream) => (await stream.next())?.data.result.task.id));
    for (let n = 0; n < 5; n++) expect((await rpc(house.edge.urlOf("slow"), sendV1("go"), headers)).status).toBe(429);
    const { json } = await rpc(house.edge.urlOf("slow"), LIST, headers);
    expect(json.result.tasks.map(({ id }: { id: string }) => id).sort()).toEqual(ids.sort());
    await Promise.all(streams.map((stream) => stream.cancel()));
  });
});

const ignoringTime = ({ shown }: Heard): string => JSON.stringify(shown).replace(/\d+/g, "N");
