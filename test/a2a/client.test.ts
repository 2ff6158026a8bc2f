import { once } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { AgentClient, type Updates } from "../../src/a2a/client/agent-client.js";
import { UpdateFold } from "../../src/a2a/client/fold-updates.js";
import { openAgent } from "../../src/a2a/client/open-agent.js";
import type { Outcome, SendOutcome } from "../../src/a2a/client/outcome.js";
import type { RemoteAnswer, RemoteUpdate } from "../../src/a2a/client/remote-task.js";
import { untilSettled } from "../../src/a2a/client/until-settled.js";
import { OwnAgentBinding } from "../../src/a2a/server/own-agent.js";
import { operator } from "../../src/access/principal.js";
import { createOutbound } from "../../src/outbound/outbound.js";
import { newId } from "../../src/shared/ids.js";
import type { Message } from "../../src/tasks/message.js";
import { textOf } from "../../src/tasks/message.js";
import { type Edge, startEdge } from "../support/a2a-edge.js";
import { type ForeignAgent, type ForeignBinding, startForeignAgent, startRawAgent } from "../support/foreign-agents.js";

const outbound = createOutbound({ mode: "development", allow: [] });
const open = async (url: string, token?: string) =>
  openAgent(outbound, {
    url,
    endpoint: "operator",
    ...(token !== undefined && { credentials: { authorization: `Bearer ${token}` } }),
  });
const saying = (text: string): Message => ({ messageId: newId(), role: "user", parts: [{ text }] });

function accepted<T>(outcome: Outcome<T>): T {
  if (outcome.outcome !== "accepted") throw outcome.error;
  return outcome.value;
}
const textIn = (answer: RemoteAnswer | null): string => {
  if (answer === null) return "nothing";
  if (answer.type === "message") return textOf(answer.message);
  // Chunks of an artifact are pieces of one text, also where they are kept as parts.
  const made = answer.task.artifacts.flatMap(({ parts }) => parts.map((part) => ("text" in part ? part.text : "?")));
  return made.join("") || textOf(answer.task.statusMessage ?? { parts: [] });
};
async function folded(updates: AsyncIterable<RemoteUpdate>): Promise<RemoteAnswer | null> {
  const fold = new UpdateFold();
  for await (const update of updates) fold.apply(update);
  return fold.answer;
}

/** Whoever the agent is, and however it is spoken to, the same comes of it. */
type Opened = { client: AgentClient };
const agents: Record<string, () => Promise<Opened>> = {};
let edge: Edge;
const foreign = new Map<ForeignBinding, ForeignAgent>();

beforeAll(async () => {
  edge = await startEdge({ http: { cards: { rest: true } } });
  const { key } = await edge.key("client");
  agents["own, over HTTP"] = () => open(edge.urlOf("actor"), key);
  agents["own, within the daemon"] = async () => {
    const persona = edge.personas.get("default", "actor");
    if (persona === undefined) throw new Error("there is no actor");
    return { client: new AgentClient(new OwnAgentBinding(persona, operator, edge.edge.operations), "1.0") };
  };
  for (const binding of ["1.0 JSONRPC", "1.0 HTTP+JSON", "0.3 JSONRPC"] as const) {
    foreign.set(binding, await startForeignAgent(binding));
    agents[`foreign, ${binding}`] = () => open((foreign.get(binding) as ForeignAgent).url);
  }
});
afterAll(async () => {
  for (const agent of foreign.values()) await agent.stop();
  await edge.stop();
  expect(edge.faults).toEqual([]);
});

const KINDS = [
  "own, over HTTP",
  "own, within the daemon",
  "foreign, 1.0 JSONRPC",
  "foreign, 1.0 HTTP+JSON",
  "foreign, 0.3 JSONRPC",
];

describe.each(KINDS)("an agent, %s", (kind) => {
  const client = async () => (await (agents[kind] as () => Promise<Opened>)()).client;
  const isOwn = kind.startsWith("own");

  it("E15 answers when its work is done", async () => {
    const answer = accepted(await (await client()).send({ message: saying("report"), waits: true }));
    expect(answer).toMatchObject({ type: "task", task: { state: "TASK_STATE_COMPLETED" } });
    expect(textIn(answer)).toBe(isOwn ? "report" : "echo: report");
  });

  it("E15 is followed by its stream, chunk by chunk", async () => {
    const said = isOwn ? "stream" : "report";
    const updates: RemoteUpdate[] = [];
    const stream = accepted(await (await client()).stream({ message: saying(said), waits: true }));
    for await (const update of stream) updates.push(update);
    expect(updates[0]?.type).toBe("task");
    const chunks = updates.flatMap((update) => (update.type === "artifact" ? [textOf(update.artifact)] : []));
    expect(chunks.join("")).toBe(isOwn ? "one two three" : "echo: report");
    const fold = new UpdateFold();
    for (const update of updates) fold.apply(update);
    expect(fold.answer).toMatchObject({ task: { state: "TASK_STATE_COMPLETED" } });
    expect(textIn(fold.answer)).toBe(isOwn ? "one two three" : "echo: report");
  });

  it("E15 may answer with a message and no task", async () => {
    const answer = accepted(await (await client()).send({ message: saying("bare words"), waits: true }));
    expect([answer.type, textIn(answer)]).toEqual(["message", "just bare words"]);
  });

  it("E15 may ask, and goes on when it is answered", async () => {
    const speaker = await client();
    const asks = accepted(await speaker.send({ message: saying("ask"), waits: true }));
    if (asks.type !== "task") throw new Error("it has no task");
    expect([asks.task.state, textIn(asks)]).toEqual(["TASK_STATE_INPUT_REQUIRED", "which one?"]);
    const { id: taskId } = asks.task;
    const stream = accepted(await speaker.stream({ message: saying("this"), taskId, waits: true }));
    const answer = await folded(stream);
    expect(answer).toMatchObject({ task: { id: taskId, state: "TASK_STATE_COMPLETED" } });
    expect(textIn(answer)).toBe(isOwn ? "you said this" : "echo: this");
  });

  it("E15 is looked at again until it is done, where nothing streams", async () => {
    const speaker = await client();
    const begun = accepted(await speaker.send({ message: saying("slow"), waits: false }));
    if (begun.type !== "task") throw new Error("it has no task");
    expect(await folded(untilSettled(speaker, { task: begun.task }))).toMatchObject({
      task: { id: begun.task.id, state: "TASK_STATE_COMPLETED" },
    });
  });

  it("E15 fails, and says so", async () => {
    const answer = accepted(await (await client()).send({ message: saying("fail"), waits: true }));
    expect(answer).toMatchObject({ task: { state: "TASK_STATE_FAILED" } });
    expect(textIn(answer)).toBe("it went wrong");
  });

  it("E15 is canceled, and whoever follows it hears of it", async () => {
    const speaker = await client();
    const stream = accepted(await speaker.stream({ message: saying("hang"), waits: true }));
    const first = await stream.next();
    const id = first.done !== true && first.value.type === "task" ? first.value.task.id : "none";
    const canceled = speaker.cancel(id);
    // Not every stream gets to the end of a task that is canceled.
    expect(await folded(untilSettled(speaker, { updates: stream }))).toMatchObject({
      task: { id, state: "TASK_STATE_CANCELED" },
    });
    expect(await canceled).toMatchObject({ id, state: "TASK_STATE_CANCELED" });
    expect(await speaker.get(id)).toMatchObject({ state: "TASK_STATE_CANCELED" });
  });

  it("E15 refuses what is not there", async () => {
    await expect((await client()).get("no-such-task")).rejects.toMatchObject({ code: "not_found" });
  });

  it("E15 lets go of a stream that nobody reads any more", async () => {
    const stream = accepted(await (await client()).stream({ message: saying("hang"), waits: true }));
    await stream.next();
    await stream.return();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });
});

describe("what came of a message", () => {
  let agent: ForeignAgent | undefined;
  afterEach(async () => {
    await agent?.stop();
    agent = undefined;
  });
  const sent = async (answer: RequestListener): Promise<SendOutcome> => {
    agent = await startRawAgent(answer);
    return (await open(agent.url)).client.send({ message: saying("hello"), waits: true });
  };
  const rpc = async (request: IncomingMessage) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    return JSON.parse(body) as { id: string };
  };
  const replying =
    (status: number, reply: object): RequestListener =>
    async (request, response) => {
      const { id } = await rpc(request);
      response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, ...reply }));
    };
  const plain =
    (status: number, body = "", headers: Record<string, string> = {}): RequestListener =>
    (_request, response) =>
      void response.writeHead(status, headers).end(body);
  const fails = (code: number) => ({ error: { code, message: "no" } });
  const TASK = { task: { id: "t", status: { state: "TASK_STATE_COMPLETED" } } };

  it.each<[string, RequestListener, SendOutcome["outcome"], string]>([
    ["a task", replying(200, { result: TASK }), "accepted", ""],
    [
      "a state that we do not know",
      replying(200, { result: { task: { id: "t", status: { state: "NEW" } } } }),
      "accepted",
      "",
    ],
    ["fields that we do not know", replying(200, { result: { ...TASK, news: 1 } }), "accepted", ""],
    ["invalid parameters", replying(200, fails(-32602)), "refused", "AGENT_REFUSED"],
    ["no such task", replying(200, fails(-32001)), "refused", "AGENT_REFUSED"],
    ["an unsupported version", replying(400, fails(-32009)), "refused", "AGENT_REFUSED"],
    ["who are you?", plain(401, "who?"), "refused", "AGENT_REFUSED"],
    ["too often", replying(429, fails(-32000)), "refused", "AGENT_REFUSED"],
    ["not found", plain(404, "<html>"), "refused", "AGENT_REFUSED"],
    ["a redirect", plain(307, "", { location: "/elsewhere" }), "refused", "OUTBOUND_REDIRECT"],
    ["an internal error", replying(200, fails(-32603)), "unknown", "AGENT_FAILED"],
    ["a code of its own", replying(200, fails(-32099)), "unknown", "AGENT_FAILED"],
    ["a broken proxy", plain(502, "bad gateway"), "unknown", "AGENT_FAILED"],
    ["a busy proxy", plain(503), "unknown", "AGENT_FAILED"],
    ["too slow for a proxy", plain(504), "unknown", "AGENT_FAILED"],
    ["a timeout of its own", plain(408), "unknown", "AGENT_FAILED"],
    ["no JSON", plain(200, "OK"), "unknown", "AGENT_ANSWER_INVALID"],
    ["nothing", plain(200), "unknown", "AGENT_ANSWER_INVALID"],
    [
      "an answer to something else",
      plain(200, '{"jsonrpc":"2.0","id":"x","result":{}}'),
      "unknown",
      "AGENT_ANSWER_INVALID",
    ],
    ["no result", replying(200, {}), "unknown", "AGENT_ANSWER_INVALID"],
    ["neither task nor message", replying(200, { result: {} }), "unknown", "AGENT_ANSWER_INVALID"],
    ["both", replying(200, { result: { ...TASK, message: { parts: [] } } }), "unknown", "AGENT_ANSWER_INVALID"],
    ["a task without an id", replying(200, { result: { task: { status: {} } } }), "unknown", "AGENT_ANSWER_INVALID"],
    [
      "an id that is a control character",
      replying(200, { result: { task: { id: "\u001b[2J", status: {} } } }),
      "unknown",
      "AGENT_ANSWER_INVALID",
    ],
    [
      "artifacts that are none",
      replying(200, { result: { task: { id: "t", status: {}, artifacts: [1] } } }),
      "unknown",
      "AGENT_ANSWER_INVALID",
    ],
    [
      "a connection that breaks",
      (request: IncomingMessage) => void request.socket.destroy(),
      "unknown",
      "OUTBOUND_BROKEN",
    ],
    [
      "half an answer",
      (_request: IncomingMessage, response: ServerResponse) => {
        response.writeHead(200, { "content-length": "1000" }).write('{"jsonrpc"', () => response.destroy());
      },
      "unknown",
      "OUTBOUND_BROKEN",
    ],
  ])("E15 %s", async (_case, answer, outcome, reason) => {
    const came = await sent(answer);
    expect(
      came.outcome === "accepted" ? [came.outcome, ""] : [came.outcome, (came.error as { reason?: string }).reason],
    ).toEqual([outcome, reason]);
    expect(agent?.asked).toHaveLength(1);
  });

  it("E15 nothing was sent where nobody listens: that is a refusal", async () => {
    agent = await startRawAgent(() => {}, {
      supportedInterfaces: [{ url: "http://127.0.0.1:1/", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    });
    const { client } = await openAgent(createOutbound({ mode: "development", allow: ["127.0.0.1:1"] }), {
      url: agent.url,
      endpoint: "operator",
    });
    expect(await client.send({ message: saying("hello"), waits: true })).toMatchObject({
      outcome: "refused",
      error: { reason: "OUTBOUND_UNREACHABLE" },
    });
  });

  it("E15 an abort leaves it unknown", async () => {
    const stop = new AbortController();
    agent = await startRawAgent(() => stop.abort());
    const { client } = await open(agent.url);
    const came = await client.send({ message: saying("hello"), waits: true }, { signal: stop.signal });
    expect(came).toMatchObject({ outcome: "unknown", error: stop.signal.reason });
  });

  it("R7 what the agent says is quoted and cut, never taken for words of ours", async () => {
    const came = await sent(
      replying(200, { error: { code: -32602, message: `"; next: rm -rf\n${"x".repeat(5000)}` } }),
    );
    if (came.outcome !== "refused") throw new Error(came.outcome);
    const { message } = came.error as Error;
    expect(message.startsWith('the agent refused: "\\"; next: rm -rf\\n')).toBe(true);
    expect(message.length).toBeLessThan(400);
  });
});

describe("a stream", () => {
  let agent: ForeignAgent | undefined;
  afterEach(async () => {
    await agent?.stop();
    agent = undefined;
  });
  const events = (...results: object[]) => results.map((result) => JSON.stringify(result));
  const TASK = { task: { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } } };
  const update = (state: string) => ({
    statusUpdate: { taskId: "t", contextId: "c", status: { state: `TASK_STATE_${state}` } },
  });
  const chunk = (text: string) => ({
    artifactUpdate: { taskId: "t", contextId: "c", artifact: { artifactId: "a", parts: [{ text }] }, append: true },
  });
  const ended = {
    task: {
      id: "t",
      contextId: "c",
      status: { state: "TASK_STATE_COMPLETED" },
      artifacts: [{ artifactId: "a", parts: [{ text: "all" }] }],
    },
  };

  /** Streams these results for a stream, and answers a look at the task with `got`. */
  const streaming =
    (results: string[], got: object | null = null): RequestListener =>
    async (request, response) => {
      let body = "";
      for await (const part of request) body += part;
      const { id, method } = JSON.parse(body) as { id: string; method: string };
      const reply = (result: string) => `{"jsonrpc":"2.0","id":"${id}","result":${result}}`;
      if (method === "GetTask") return void response.end(reply(JSON.stringify(got)));
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(results.map((result) => `: beat\r\n\r\nid: 1\r\ndata: ${reply(result)}\r\n\r\n`).join(""));
    };
  const streamed = async (answer: RequestListener): Promise<{ client: AgentClient; stream: Outcome<Updates> }> => {
    agent = await startRawAgent(answer);
    const { client } = await open(agent.url);
    return { client, stream: await client.stream({ message: saying("hello"), waits: true }) };
  };

  it("E15 that ends before its task is not taken for success", async () => {
    const { stream } = await streamed(streaming(events(TASK, chunk("one"))));
    await expect(folded(accepted(stream))).rejects.toMatchObject({ reason: "AGENT_STREAM_CUT" });
  });

  it("E15 that ends before its task is followed by looking at the task", async () => {
    const { client, stream } = await streamed(streaming(events(TASK, chunk("one")), ended.task));
    expect(textIn(await folded(untilSettled(client, { updates: accepted(stream) })))).toBe("all");
    expect(agent?.asked).toHaveLength(2);
  });

  it("E15 without an event says nothing of what came of the message", async () => {
    const { stream } = await streamed(streaming([]));
    expect(stream).toMatchObject({ outcome: "unknown", error: { reason: "AGENT_STREAM_CUT" } });
  });

  it("E15 that begins with an error is an answer like any other", async () => {
    const { stream } = await streamed((_request, response) => void response.writeHead(401).end());
    expect(stream).toMatchObject({ outcome: "refused", error: { code: "unauthenticated" } });
  });

  it("E15 is over at its end, although the agent keeps it open", async () => {
    let closed: Promise<unknown> | undefined;
    const { stream } = await streamed(async (request, response) => {
      closed = once(response, "close");
      let body = "";
      for await (const part of request) body += part;
      const { id } = JSON.parse(body) as { id: string };
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const result of [TASK, update("COMPLETED")]) {
        response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
      }
    });
    expect(await folded(accepted(stream))).toMatchObject({ task: { state: "TASK_STATE_COMPLETED" } });
    await closed;
  });

  it("R5 an event that is nothing we know ends it with an error", async () => {
    const { stream } = await streamed(streaming(events(TASK, { artifactUpdate: { taskId: "t" } })));
    await expect(folded(accepted(stream))).rejects.toMatchObject({ reason: "AGENT_ANSWER_INVALID" });
  });
});

describe("where a card leads", () => {
  const agents: ForeignAgent[] = [];
  afterEach(async () => {
    for (const agent of agents.splice(0)) await agent.stop();
  });
  const raw = async (...args: Parameters<typeof startRawAgent>) => {
    const agent = await startRawAgent(...args);
    agents.push(agent);
    return agent;
  };
  const answering: RequestListener = (_request, response) => void response.writeHead(404).end();
  const leadingTo = (url: string) => ({
    supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  });

  it("E15 the credential goes to the origin that the operator has typed", async () => {
    const agent = await raw(answering);
    const { client } = await open(agent.url, "secret");
    await client.send({ message: saying("hello"), waits: true });
    expect(agent.asked[0]?.authorization).toBe("Bearer secret");
  });

  it("R4 another origin has to pass the address rules: a card cannot lead into the local network", async () => {
    const inside = await raw(answering);
    const agent = await raw(answering, leadingTo(`${inside.url}/rpc`));
    const { client } = await open(agent.url, "secret");
    expect(await client.send({ message: saying("hello"), waits: true })).toMatchObject({
      outcome: "refused",
      error: { reason: "OUTBOUND_ADDRESS_REFUSED" },
    });
    expect(inside.asked).toEqual([]);
  });

  it("R7 another origin that passes is shown no credential", async () => {
    const other = await raw(answering);
    const agent = await raw(answering, leadingTo(`${other.url}/rpc`));
    const allowing = createOutbound({ mode: "development", allow: [new URL(other.url).host] });
    const credentials = { authorization: "Bearer secret" };
    const { client } = await openAgent(allowing, { url: agent.url, endpoint: "operator", credentials });
    await client.send({ message: saying("hello"), waits: true });
    expect(other.asked).toHaveLength(1);
    expect(JSON.stringify(other.asked)).not.toContain("secret");
  });

  it("E15 the interface's tenant goes into every request of 1.0", async () => {
    let params: unknown;
    const agent = await raw(
      async (request, response) => {
        let body = "";
        for await (const part of request) body += part;
        params = JSON.parse(body).params;
        response.writeHead(404).end();
      },
      { supportedInterfaces: [] },
    );
    const card = leadingTo(`${agent.url}/rpc`);
    const withTenant = await raw(answering, {
      supportedInterfaces: card.supportedInterfaces.map((one) => ({ ...one, tenant: "acme" })),
    });
    const allowing = createOutbound({ mode: "development", allow: [new URL(agent.url).host] });
    const { client } = await openAgent(allowing, { url: withTenant.url, endpoint: "operator" });
    await client.send({ message: saying("hello"), waits: true });
    expect(params).toMatchObject({ tenant: "acme" });
    await client.get("t").catch(() => {});
    expect(params).toEqual({ tenant: "acme", id: "t" });
  });

  it.each([
    ["no card", (response: ServerResponse) => response.writeHead(404).end(), "AGENT_CARD_INVALID"],
    ["a card for others", (response: ServerResponse) => response.writeHead(401).end(), "AGENT_CARD_INVALID"],
    ["no JSON", (response: ServerResponse) => response.end("<html>"), "AGENT_ANSWER_INVALID"],
    ["a list", (response: ServerResponse) => response.end("[]"), "AGENT_ANSWER_INVALID"],
    [
      "interfaces that are none",
      (response: ServerResponse) => response.end('{"supportedInterfaces":[1]}'),
      "AGENT_ANSWER_INVALID",
    ],
    ["no interface", (response: ServerResponse) => response.end("{}"), "AGENT_INTERFACE_UNSUPPORTED"],
    [
      "only gRPC",
      (response: ServerResponse) =>
        response.end('{"supportedInterfaces":[{"url":"https://x","protocolBinding":"GRPC","protocolVersion":"1.0"}]}'),
      "AGENT_INTERFACE_UNSUPPORTED",
    ],
    [
      "a version to come",
      (response: ServerResponse) =>
        response.end(
          '{"supportedInterfaces":[{"url":"https://x","protocolBinding":"JSONRPC","protocolVersion":"2.0"}]}',
        ),
      "AGENT_INTERFACE_UNSUPPORTED",
    ],
    ["too much", (response: ServerResponse) => response.end(`{"name":"${"x".repeat(600_000)}"}`), "OUTBOUND_TOO_LARGE"],
    [
      "a bottomless card",
      (response: ServerResponse) => response.end(`{"x":${"[".repeat(10_000)}${"]".repeat(10_000)}}`),
      "AGENT_ANSWER_INVALID",
    ],
  ])("R5 %s is an error, and nothing worse", async (_case, answer, reason) => {
    const agent = await raw((_request, response) => void answer(response));
    await expect(open(`${agent.url}/card.json`)).rejects.toMatchObject({ reason });
  });
});
