import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeMessage } from "../../src/a2a/protocol/protobuf/write.js";
import { methodsOf } from "../../src/a2a/server/grpc/methods.js";
import type { AgentPolicy } from "../../src/access/policy/agent-policy.js";
import type { Persona } from "../../src/personas/persona.js";
import { newId } from "../../src/shared/ids.js";
import { rpc, SseReader, scripted, sendV1 } from "../support/a2a-edge.js";
import { endpointOf } from "../support/every-binding.js";
import { endedBy, type GrpcEdge, RawClient, startGrpcEdge } from "../support/grpc-edge.js";
import { Receiver } from "../support/receiver.js";

const V1 = { "a2a-version": "1.0" };
const ID = "spiffe://example.com/tenants/acme/agents/scout";
const policy = (over: Partial<AgentPolicy>): AgentPolicy => ({
  ...{ mode: "enforce", tools: [], a2aTargets: [], egressHosts: [] },
  ...over,
});
const hang: Persona["runtime"] = { type: "scripted", rules: [{ steps: [{ status: "on it" }, { hang: true }] }] };
const takes = policy({ a2aInbound: { agents: ["spiffe://example.com/*"] } });
const calls = policy({ a2aTargets: ["https://agents.example.com/*"] });

const DESK = { tenant: "default", name: "desk" };
const desk = scripted("desk", [], { visibility: "public", policy: takes, runtime: hang });
const scout = scripted("scout", [], { tenant: "acme", policy: calls });

/** What has changed, and what an agent of another tenant is told of it on each binding. */
const CHANGES: [what: string, personas: Persona[], code: number, grpc: string][] = [
  ["the called agent takes its calls no more", [{ ...desk, policy: policy({}) }, scout], -32000, "PERMISSION_DENIED"],
  ["the called agent has no policy any more", [{ ...desk, policy: undefined }, scout], -32000, "PERMISSION_DENIED"],
  ["the calling agent may call it no more", [desk, { ...scout, policy: policy({}) }], -32000, "PERMISSION_DENIED"],
  ["the calling agent is gone", [desk], -32000, "UNAUTHENTICATED"],
  ["the called agent has become private", [{ ...desk, visibility: "private" }, scout], -32001, "NOT_FOUND"],
  ["the called agent is gone", [scout], -32001, "NOT_FOUND"],
];

describe("who was let in before", () => {
  let house: GrpcEdge;
  let client: RawClient;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await Receiver.start();
    house = await startGrpcEdge({
      personas: [desk, scout],
      http: { publicBaseUrl: "https://agents.example.com" },
      access: { trustDomain: "example.com" },
      push: { outbound: { allow: [receiver.pair] } },
    });
    client = new RawClient(house.address);
  });
  afterAll(async () => {
    client.close();
    expect(house.edge.faults).toEqual([]);
    await house.close();
    await receiver.stop();
  });

  const changeTo = (personas: Persona[]) => {
    house.edge.personas.replace(personas);
    house.edge.edge.changed(house.edge.settings);
  };
  const token = async () => {
    const { agentTokens } = house.edge.access;
    return (await agentTokens.mint(scout, "desk", 60_000)).token;
  };

  const cancelAll = async () => {
    const { items } = await house.edge.ledger.system.list({ limit: 10 });
    const unfinished = items.filter(({ state }) => state !== "canceled");
    await Promise.all(
      unfinished.map(({ id: taskId }) => house.edge.tasks.cancel({ tenant: "default", taskId, reason: "over" })),
    );
  };

  /** A stream on each binding, and a call that waits; each has begun. */
  async function opened(headers: Record<string, string>) {
    const url = endpointOf(house.edge.origin, DESK);
    const jsonRpc = await SseReader.open(
      url,
      { ...sendV1("go"), method: "SendStreamingMessage" },
      { ...V1, ...headers },
    );
    const first = await jsonRpc.next();
    const rest = await SseReader.open(
      `${url}/message:stream`,
      { message: { messageId: newId(), role: "ROLE_USER", parts: [{ text: "go" }] } },
      { ...V1, ...headers, "content-type": "application/a2a+json" },
    );
    await rest.next();
    const subscribe = methodsOf("1.0").find(({ operation }) => operation === "subscribe");
    if (subscribe === undefined) throw new Error("there is nothing to subscribe by");
    const id = first?.data.result.task.id as string;
    const overGrpc = client.stream(
      subscribe.path,
      writeMessage(subscribe.request, { tenant: "default/desk", id }),
      headers,
    );
    await new Promise((resolve) => overGrpc.once("data", resolve));
    const ended = new Promise<string>((resolve) =>
      overGrpc.on("error", (error) => resolve(endedBy(error as never).code)),
    );
    overGrpc.resume();
    const open = house.edge.edge.calls.size;
    const waiting = rpc(url, sendV1("go"), { ...V1, ...headers });
    await expect.poll(() => house.edge.edge.calls.size).toBe(open + 1);
    return { jsonRpc, rest, ended, waiting, id };
  }

  it.each(CHANGES)("E7 E4 R6 hears so where %s, and its tasks go on", async (_what, personas, code, grpc) => {
    const { jsonRpc, rest, ended, waiting, id } = await opened({ "x-nuncio-agent-token": await token() });
    try {
      changeTo(personas);
      expect((await jsonRpc.rest()).at(-1)?.data.error.code).toBe(code);
      expect((await rest.rest()).at(-1)?.data.error.status).toBe(grpc);
      expect(await ended).toBe(grpc);
      expect((await waiting).json.error?.code).toBe(code);
      expect(await house.edge.ledger.forTenant("default").task(id)).toMatchObject({ state: "processing" });
      expect(house.edge.followers.size).toBe(0);
    } finally {
      changeTo([desk, scout]);
    }
    await cancelAll();
  });

  it("E23 E4 R6 is told nothing more by webhook, either, until the operator says so", async () => {
    const url = endpointOf(house.edge.origin, DESK);
    const { authorization } = await house.edge.key("outsider", { tenant: "acme" });
    const { authorization: insider } = await house.edge.key("insider");
    const begin = async (path: string, credential: string) => {
      const push = { id: "hook", url: receiver.url(path) };
      const configuration = { returnImmediately: true, taskPushNotificationConfig: push };
      const sent = await rpc(url, sendV1("go", { configuration }), { ...V1, authorization: credential });
      await receiver.until(path, 1);
      return sent.json.result.task.id as string;
    };
    const [theirs, ours] = [await begin("/outside", authorization), await begin("/inside", insider)];
    await Promise.all([receiver.until("/outside", 2), receiver.until("/inside", 2)]);
    changeTo([{ ...desk, visibility: "private" }, scout]);
    await cancelAll();
    await receiver.until("/inside", 3);
    const hookOf = (taskId: string) => house.edge.ledger.forTenant("default").push.get(taskId, "hook");
    await expect.poll(async () => (await hookOf(theirs))?.state).toBe("disabled");
    expect(await hookOf(theirs)).toMatchObject({ lastError: "its caller may not see the agent", lastStatus: null });
    await expect.poll(async () => (await hookOf(ours))?.state).toBe("done");
    expect(receiver.at("/outside")).toHaveLength(2);
    changeTo([desk, scout]);
  });

  it("E7 an agent that is refused does not learn by whose policy", async () => {
    const call = async () =>
      rpc(endpointOf(house.edge.origin, DESK), sendV1("go"), { ...V1, "x-nuncio-agent-token": await token() });
    changeTo([{ ...desk, policy: policy({}) }, scout]);
    const byTarget = await call();
    changeTo([desk, { ...scout, policy: policy({}) }]);
    const byCaller = await call();
    changeTo([desk, scout]);
    const shown = ({ status, headers, text }: typeof byTarget) => ({
      status,
      headers: [...headers].filter(([name]) => name !== "date"),
      text,
    });
    expect(byTarget.status).toBe(403);
    expect(shown(byCaller)).toEqual(shown(byTarget));
    expect(byTarget.text).not.toContain(ID);
  });

  it("E4 R6 streams of whoever is still let in go on through every change", async () => {
    const { authorization } = await house.edge.key("insider", { scopes: ["runs:execute"] });
    const { jsonRpc, rest, waiting, id } = await opened({ authorization });
    changeTo([{ ...desk, visibility: "private", policy: undefined }]);
    changeTo([desk, scout]);
    await house.edge.tasks.cancel({ tenant: "default", taskId: id, reason: "over" });
    const told = (await jsonRpc.rest()).map(({ data }) => data);
    expect(told.at(-1).result.statusUpdate.status.state).toBe("TASK_STATE_CANCELED");
    await rest.cancel();
    await cancelAll();
    expect((await waiting).json.result.task.status.state).toBe("TASK_STATE_CANCELED");
  });
});
