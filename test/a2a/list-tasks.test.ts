import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Scope } from "../../src/access/principal.js";
import { callV1, type Edge, rpc, scripted, sendV1, startEdge } from "../support/a2a-edge.js";

/** Asks, fails, never ends, or answers by a Message: as the text says. */
const worker = scripted(
  "worker",
  [
    { when: { text: /^ask/ }, steps: [{ ask: "which one?" }] },
    { when: { text: /^fail/ }, steps: [{ fail: { text: "no", retryable: false } }] },
    { when: { text: /^hang/ }, steps: [{ hang: true }] },
    { when: { text: /^slow message/ }, steps: [{ sleep: 500 }, { message: "at last" }] },
    {
      when: { text: /^message that fails/ },
      steps: [{ fail: { text: "no", retryable: false } }, { message: "never" }],
    },
    { when: { text: /^message/ }, steps: [{ message: "just that" }] },
  ],
  { visibility: "public" },
);

interface Page {
  tasks: { id: string; contextId: string; status: { state: string; timestamp: string }; [field: string]: unknown }[];
  nextPageToken: string;
  pageSize: number;
  totalSize: number;
}

describe("E20 ListTasks", () => {
  let edge: Edge;

  beforeAll(async () => {
    edge = await startEdge({
      personas: [worker, { ...worker, name: "other" }],
      http: { blockingTimeoutMs: 20 },
    });
  });
  afterAll(async () => {
    expect(edge.faults).toEqual([]);
    await edge.stop();
  });

  let callers = 0;
  /** A caller of whom nobody has heard, and what it does. */
  async function caller(key: { tenant?: string; scopes?: readonly Scope[] } = {}) {
    const { authorization } = await edge.key(`caller-${callers++}`, { scopes: ["runs:execute"], ...key });
    const headers = { authorization, "a2a-version": "1.0" };
    const send = async (text: string, message: object = {}, agent = "worker") => {
      const { json } = await rpc(edge.urlOf(agent), sendV1(text, {}, message), headers);
      return json.result;
    };
    const call = async (params: object = {}, agent = "worker") =>
      (await rpc(edge.urlOf(agent), callV1("ListTasks", params), headers)).json;
    return {
      authorization,
      send,
      call,
      list: async (params: object = {}, agent = "worker"): Promise<Page> => (await call(params, agent)).result,
    };
  }

  it("a caller without tasks gets an empty list with all of its fields", async () => {
    const { list } = await caller();
    expect(await list()).toEqual({ tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 });
  });

  it("a walk brings each task once, the latest first, on pages of any size", async () => {
    const { send, list } = await caller();
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.unshift((await send("echo")).task.id);
    for (const pageSize of [1, 2, 5, 100]) {
      const seen: string[] = [];
      let pageToken = "";
      do {
        const page = await list({ pageSize, pageToken });
        expect(page).toMatchObject({ pageSize, totalSize: 5 });
        seen.push(...page.tasks.map(({ id }) => id));
        pageToken = page.nextPageToken;
      } while (pageToken !== "");
      expect(seen).toEqual(ids);
    }
  });

  it("the order is the one of the times that are shown", async () => {
    const { send, list } = await caller();
    const asking = (await send("ask")).task;
    await send("fail");
    await send("", { taskId: asking.id, contextId: asking.contextId, parts: [{ text: "that" }] });
    const times = (await list()).tasks.map(({ status }) => status.timestamp);
    expect(times).toEqual([...times].sort().reverse());
    expect((await list()).tasks[0]?.id).toBe(asking.id);
  });

  it("each filter leaves what it names, and the total is of what it leaves", async () => {
    const { send, list } = await caller();
    const done = (await send("echo", { contextId: "context-of-the-filters" })).task;
    const failed = (await send("fail")).task;
    const asking = (await send("ask")).task;
    const of = async (params: object) => {
      const { tasks, totalSize } = await list(params);
      expect(totalSize).toBe(tasks.length);
      return tasks.map(({ id }) => id);
    };
    expect(await of({ contextId: "context-of-the-filters" })).toEqual([done.id]);
    expect(await of({ contextId: "another" })).toEqual([]);
    expect(await of({ status: "TASK_STATE_COMPLETED" })).toEqual([done.id]);
    expect(await of({ status: "TASK_STATE_FAILED" })).toEqual([failed.id]);
    expect(await of({ status: "TASK_STATE_INPUT_REQUIRED" })).toEqual([asking.id]);
    expect(await of({ status: "TASK_STATE_WORKING" })).toEqual([]);
    expect(await of({ status: "TASK_STATE_FAILED", contextId: done.contextId })).toEqual([]);
    expect(await of({ statusTimestampAfter: failed.status.timestamp })).toContain(failed.id);
    expect(await of({ statusTimestampAfter: "2999-01-01T00:00:00+01:00" })).toEqual([]);
    expect(await of({ statusTimestampAfter: "1999-01-01T00:00:00.123456Z" })).toHaveLength(3);
  });

  it("artifacts come only when they are asked for, and then also where there are none", async () => {
    const { send, list } = await caller();
    await send("echo this");
    await send("fail");
    for (const task of (await list()).tasks) expect(task).not.toHaveProperty("artifacts");
    const [failed, done] = (await list({ includeArtifacts: true })).tasks;
    expect(failed?.artifacts).toEqual([]);
    expect(done?.artifacts).toMatchObject([{ parts: [{ text: "echo this" }] }]);
  });

  it("history comes as long as it is asked for", async () => {
    const { send, list } = await caller();
    await send("echo this");
    expect((await list()).tasks[0]?.history).toMatchObject([{ parts: [{ text: "echo this" }] }]);
    expect((await list({ historyLength: 0 })).tasks[0]).not.toHaveProperty("history");
    expect((await list({ historyLength: 1 })).tasks[0]?.history).toHaveLength(1);
  });

  it("what a caller sees is its own, of this agent; callers of the tenant with tasks:read see all", async () => {
    const [ann, bob, stranger] = [await caller(), await caller(), await caller({ tenant: "acme" })];
    const reader = await caller({ scopes: ["tasks:read"] });
    const foreignReader = await caller({ tenant: "acme", scopes: ["tasks:read", "runs:execute"] });
    const before = (await reader.list()).totalSize;
    const taskOfAnn = (await ann.send("echo")).task.id;
    const taskOfBob = (await bob.send("echo")).task.id;
    const elsewhere = (await ann.send("echo", {}, "other")).task.id;
    expect(await ann.list()).toMatchObject({ tasks: [{ id: taskOfAnn }], totalSize: 1 });
    expect(await bob.list()).toMatchObject({ tasks: [{ id: taskOfBob }], totalSize: 1 });
    expect(await ann.list({}, "other")).toMatchObject({ tasks: [{ id: elsewhere }], totalSize: 1 });
    expect(await stranger.list()).toMatchObject({ tasks: [], totalSize: 0 });
    expect(await foreignReader.list()).toMatchObject({ tasks: [], totalSize: 0 });
    const all = await reader.list({ pageSize: 2 });
    expect(all.tasks.map(({ id }) => id)).toEqual([taskOfBob, taskOfAnn]);
    expect(all.totalSize).toBe(before + 2);
  });

  it("E10 every task that is listed can be read, and the same is shown of it", async () => {
    const { send, list, authorization } = await caller();
    for (const text of ["echo", "fail", "ask"]) await send(text);
    for (const task of (await list({ includeArtifacts: true })).tasks) {
      const headers = { authorization, "a2a-version": "1.0" };
      const { result } = (await rpc(edge.urlOf("worker"), callV1("GetTask", { id: task.id }), headers)).json;
      expect({ artifacts: [], ...result }).toEqual(task);
    }
  });

  it("a token belongs to its list: with other filters, or of another caller, it is refused", async () => {
    const [ann, bob] = [await caller(), await caller()];
    for (const one of [ann, bob]) for (const text of ["echo", "echo"]) await one.send(text);
    const { nextPageToken: pageToken } = await ann.list({ pageSize: 1 });
    expect((await ann.list({ pageSize: 50, includeArtifacts: true, historyLength: 0, pageToken })).tasks).toHaveLength(
      1,
    );
    for (const refused of [
      await ann.call({ pageToken, status: "TASK_STATE_COMPLETED" }),
      await ann.call({ pageToken, contextId: "c" }),
      await ann.call({ pageToken, statusTimestampAfter: "1999-01-01T00:00:00Z" }),
      await ann.call({ pageToken }, "other"),
      await bob.call({ pageToken }),
      await ann.call({ pageToken: "nonsense" }),
    ]) {
      expect(refused.error).toMatchObject({ code: -32602, message: expect.stringContaining("pageToken") });
    }
  });

  it.each([
    ["pageSize", { pageSize: 0 }],
    ["pageSize", { pageSize: -3 }],
    ["pageSize", { pageSize: 101 }],
    ["status", { status: "TASK_STATE_RUNNING" }],
    ["historyLength", { historyLength: -5 }],
    ["statusTimestampAfter", { statusTimestampAfter: "yesterday" }],
    ["tenant", { tenant: "acme" }],
  ])("the error names %s: %j", async (field, params) => {
    const { call } = await caller();
    expect((await call(params)).error).toMatchObject({
      code: -32602,
      data: [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [{ field }] }, {}],
    });
  });

  it("no task is listed where the caller got a Message, and one is where it got a task instead", async () => {
    const { send, list, authorization } = await caller();
    const reader = await caller({ scopes: ["tasks:read"] });
    expect(await send("message")).toMatchObject({ message: { parts: [{ text: "just that" }] } });
    expect(await list()).toMatchObject({ tasks: [], totalSize: 0 });
    expect(await reader.list({ contextId: (await send("message")).message.contextId })).toMatchObject({ totalSize: 0 });

    const failed = await send("message that fails");
    expect(await list()).toMatchObject({ tasks: [{ id: failed.task.id }], totalSize: 1 });

    // 0.3 waits for 20 ms here, and gives the task when nothing has come of it.
    const message = {
      kind: "message",
      messageId: "m-slow",
      role: "user",
      parts: [{ kind: "text", text: "slow message" }],
    };
    const params = { message, configuration: { blocking: true } };
    const { json } = await rpc(
      edge.urlOf("worker"),
      { jsonrpc: "2.0", id: 1, method: "message/send", params },
      { authorization },
    );
    expect(json.result).toMatchObject({ kind: "task" });
    expect(await list()).toMatchObject({ tasks: [{ id: json.result.id }, { id: failed.task.id }], totalSize: 2 });
  });

  it("0.3 has no such method", async () => {
    const { authorization } = await caller();
    const { json } = await rpc(
      edge.urlOf("worker"),
      { jsonrpc: "2.0", id: 1, method: "tasks/list" },
      { authorization },
    );
    expect(json.error).toMatchObject({ code: -32601 });
  });
});
