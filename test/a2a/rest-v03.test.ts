import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../src/shared/ids.js";
import { type Edge, echo, SseReader, scripted, startEdge } from "../support/a2a-edge.js";
import { rest } from "../support/rest.js";

const worker = scripted(
  "worker",
  [
    { when: { text: /^ask/ }, steps: [{ ask: "which one?" }] },
    { when: { text: /^hang/ }, steps: [{ hang: true }] },
    { when: { text: /^bare/ }, steps: [{ message: "just that" }] },
    { when: { text: /^stream/ }, steps: [{ chunk: "one " }, { reply: "two" }] },
  ],
  { visibility: "public" },
);

/** Bodies as the SDK for Python 0.3.26 makes them from its protocol buffers: what is not set is not there. */
const proto = (text: string, over: object = {}) => ({
  message: { messageId: newId(), role: "ROLE_USER", content: [{ text }], ...over },
  configuration: { blocking: true },
});
const json = (text: string) => ({
  message: { kind: "message", messageId: newId(), role: "user", parts: [{ kind: "text", text }] },
  configuration: { blocking: true },
});

describe("HTTP+JSON of 0.3", () => {
  let edge: Edge;
  let authorization: string;
  let base: string;

  beforeAll(async () => {
    edge = await startEdge({ personas: [worker, echo] });
    authorization = (await edge.key("me")).authorization;
    base = `${edge.urlOf("worker")}/v1`;
  });
  afterAll(async () => {
    expect(edge.faults).toEqual([]);
    await edge.stop();
  });

  const call = (method: string, path: string, body?: unknown, headers: Record<string, string | undefined> = {}) =>
    rest(method, base + path, {
      body,
      headers: { authorization, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    });
  const stream = async (method: string, path: string, body?: unknown) =>
    new SseReader(
      await fetch(base + path, {
        method,
        headers: { authorization, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    ).rest();

  it("E8 E14 answers in the protocol buffers' JSON, with nothing in it that they do not have", async () => {
    const sent = await call("POST", "/message:send", proto("hello"));
    expect(sent.status).toBe(200);
    expect(sent.headers.get("content-type")).toMatch(/^application\/json/);
    const { id, contextId, status } = sent.json.task;
    expect(sent.json).toEqual({
      task: {
        id,
        contextId,
        status: { state: "TASK_STATE_COMPLETED", timestamp: status.timestamp },
        artifacts: [{ artifactId: "result", name: "result", parts: [{ text: "hello" }] }],
        history: [
          { messageId: expect.any(String), contextId, taskId: id, role: "ROLE_USER", content: [{ text: "hello" }] },
        ],
      },
    });
    expect((await call("GET", `/tasks/${id}?historyLength=1`)).json).toEqual(sent.json.task);
    expect((await call("GET", `/tasks/${id}?historyLength=0`)).json).not.toHaveProperty("history");
    expect((await call("GET", "/tasks")).json).toContainEqual(sent.json.task);
  });

  it("E8 answers in the JSON of the specification whoever writes it", async () => {
    const { task } = (await call("POST", "/message:send", json("hello"))).json;
    expect(task).toMatchObject({
      kind: "task",
      status: { state: "completed" },
      artifacts: [{ parts: [{ kind: "text", text: "hello" }] }],
      history: [{ kind: "message", role: "user", parts: [{ kind: "text", text: "hello" }] }],
    });
    expect((await call("POST", "/message:send", json("bare"))).json).toMatchObject({ message: { kind: "message" } });
    const events = await stream("POST", "/message:stream", json("stream"));
    expect(events[0]?.data).toMatchObject({ task: { kind: "task" } });
    expect(events.at(-1)?.data).toMatchObject({ statusUpdate: { kind: "status-update", final: true } });
  });

  it("E9 answers at once unless it is to block", async () => {
    const { message } = proto("hang");
    const { task } = (await call("POST", "/message:send", { message })).json;
    expect(["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"]).toContain(task.status.state);
    // The SDK for Python names the task once more; the one for JavaScript sends nothing.
    const canceled = await call("POST", `/tasks/${task.id}:cancel`, { name: `tasks/${task.id}` });
    // cspell:disable-next-line
    expect(canceled).toMatchObject({ status: 200, json: { id: task.id, status: { state: "TASK_STATE_CANCELLED" } } });
    expect(await call("POST", `/tasks/${task.id}:cancel`)).toMatchObject({ status: 409, json: { code: -32002 } });
  });

  it("E22 streams results in the field that says what they are, and subscribes by either method", async () => {
    const events = await stream("POST", "/message:stream", proto("stream"));
    expect(Object.keys(events[0]?.data)).toEqual(["task"]);
    expect(events.map(({ data }) => Object.keys(data)[0])).toContain("artifactUpdate");
    expect(events.at(-1)?.data).toMatchObject({
      statusUpdate: { status: { state: "TASK_STATE_COMPLETED" }, final: true },
    });
    const asking = (await call("POST", "/message:send", proto("ask"))).json.task;
    expect(asking.status).toMatchObject({
      state: "TASK_STATE_INPUT_REQUIRED",
      message: { role: "ROLE_AGENT", content: [{ text: "which one?" }] },
    });
    for (const method of ["GET", "POST"]) {
      const [first] = await stream(method, `/tasks/${asking.id}:subscribe`);
      expect(first?.data.task).toMatchObject({ id: asking.id });
    }
  });

  it("E8 E13 errors are what JSON-RPC has, beside their HTTP status", async () => {
    for (const [status, code, reply] of [
      [404, -32001, await call("GET", `/tasks/${newId()}`)],
      [400, -32602, await call("POST", "/message:send", {})],
      [400, -32602, await call("GET", "/tasks/x?historyLength=-1")],
      [400, -32602, await call("POST", "/tasks/x:cancel", { name: "tasks/y" })],
      [400, -32700, await call("POST", "/message:send", "{")],
      [415, -32005, await call("POST", "/message:send", proto("hello"), { "content-type": "text/plain" })],
      [404, -32601, await call("GET", "/nothing")],
      [405, -32601, await call("PUT", "/tasks/x")],
      [401, -32000, await call("GET", "/tasks/x", undefined, { authorization: undefined })],
    ] as const) {
      expect(reply.status).toBe(status);
      expect(reply.json).toMatchObject({ code, message: expect.stringMatching(/\w/), data: expect.any(Array) });
    }
  });

  it("E20 no version and 0.3 are the same here, and 1.0 has other paths", async () => {
    for (const version of [undefined, "", "0.3", "0.3.0"]) {
      expect((await call("GET", "/tasks", undefined, { "a2a-version": version })).status).toBe(200);
    }
    const later = await call("GET", "/card", undefined, { "a2a-version": "1.0" });
    expect(later).toMatchObject({ status: 400, json: { error: { details: [{ reason: "VERSION_NOT_SUPPORTED" }] } } });
    // There it is a tenant, and not the one of this agent.
    expect((await call("GET", "/tasks/x", undefined, { "a2a-version": "1.0" })).text).toContain("tenant");
  });

  it("E20 is not there where only 1.0 is served", async () => {
    const modern = await startEdge({ personas: [echo], http: { versions: ["1.0"] } });
    const key = (await modern.key("me")).authorization;
    const reply = await rest("GET", `${modern.urlOf("echo")}/v1/tasks/x`, { headers: { authorization: key } });
    expect(reply).toMatchObject({ status: 400, json: { code: -32009 } });
    await modern.stop();
  });
});
