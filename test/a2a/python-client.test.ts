import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decode } from "../../conformance/protobuf/decode.js";
import { encode } from "../../conformance/protobuf/encode.js";
import { checkShape, type Json } from "../../conformance/shapes/check.js";
import { V03_PROTO } from "../../conformance/shapes/v03-proto.js";
import { startOwnDaemon } from "../../conformance/targets/own-daemon.js";
import type { Target } from "../../conformance/targets/target.js";
import { WIRES } from "../../conformance/wires/all.js";
import { unary } from "../../conformance/wires/grpc.js";
import { http } from "../../conformance/wires/http.js";
import { readSse } from "../../conformance/wires/sse.js";
import { newId } from "../../src/shared/ids.js";
import { rpc, SseReader } from "../support/a2a-edge.js";

/**
 * Requests as the Python reference client a2a-sdk 0.3.26 writes them: ids are UUIDs, absent fields are left out, the
 * configuration always stands there, no version header is sent. What it reads strictly is held against its messages.
 */
describe("the Python reference client 0.3.26", () => {
  let target: Target;
  let headers: Record<string, string>;

  beforeAll(async () => {
    target = await startOwnDaemon(WIRES);
    headers = {
      authorization: `Bearer ${target.token}`,
      accept: "*/*",
      "accept-encoding": "gzip, deflate",
      "user-agent": "python-httpx/0.28.1",
    };
  });
  afterAll(async () => {
    expect(await target.close()).toEqual([]);
  });

  it("E14 finds the card under the base URL without a slash, and every field that its model requires", async () => {
    const response = await fetch(`${target.agent.base}/.well-known/agent-card.json`, { headers });
    const card = (await response.json()) as Json;
    for (const field of [
      "capabilities",
      "defaultInputModes",
      "defaultOutputModes",
      "description",
      "name",
      "skills",
      "url",
      "version",
    ]) {
      expect(card[field]).toBeDefined();
    }
    expect(card).toMatchObject({
      protocolVersion: "0.3.0",
      preferredTransport: "JSONRPC",
      capabilities: { streaming: true },
    });
    const transports = (card.additionalInterfaces as Json[]).map(({ transport }) => transport);
    expect(transports).toEqual(expect.arrayContaining(["HTTP+JSON", "GRPC"]));
    // Its client factory asks for the extended card when the public one promises it, by the same model.
    for (const scheme of Object.values(card.securitySchemes as Record<string, Json>)) {
      expect(scheme.type).toEqual(expect.any(String));
    }
  });

  describe("over JSON-RPC", () => {
    const message = (text: string, rest: object = {}) => ({
      kind: "message",
      messageId: newId(),
      parts: [{ kind: "text", text }],
      role: "user",
      ...rest,
    });
    const call = (method: string, params: object) => ({ id: newId(), jsonrpc: "2.0", method, params });
    const configuration = { acceptedOutputModes: [], blocking: true };
    const ask = (body: object) => rpc(target.agent.base, body, headers);

    it("E9 E14 message/send", async () => {
      const body = call("message/send", { configuration, message: message("Where is order 1234?") });
      const { status, json } = await ask(body);
      expect(status).toBe(200);
      expect(json).toMatchObject({
        jsonrpc: "2.0",
        id: body.id,
        result: {
          kind: "task",
          status: { state: "completed" },
          artifacts: [{ artifactId: expect.any(String), parts: [{ kind: "text", text: "Where is order 1234?" }] }],
          history: [{ kind: "message", role: "user" }],
        },
      });
    });

    it("E14 message/stream", async () => {
      const body = call("message/stream", { configuration, message: message("steps") });
      const stream = await SseReader.open(target.agent.base, body, { ...headers, accept: "text/event-stream" });
      const events = await stream.rest();
      expect(events.every(({ data }) => data.id === body.id && data.jsonrpc === "2.0")).toBe(true);
      const kinds = events.map(({ data }) => data.result.kind);
      expect(kinds[0]).toBe("task");
      expect(kinds).toContain("artifact-update");
      expect(events.at(-1)?.data.result).toMatchObject({
        kind: "status-update",
        final: true,
        status: { state: "completed" },
      });
    });

    it("E14 tasks/get, tasks/cancel, tasks/resubscribe", async () => {
      const sent = await ask(
        call("message/send", { configuration: { acceptedOutputModes: [], blocking: false }, message: message("hang") }),
      );
      const { id } = sent.json.result;
      const found = await ask(call("tasks/get", { id, historyLength: 10 }));
      expect(found.json.result).toMatchObject({ kind: "task", id });
      const stream = await SseReader.open(target.agent.base, call("tasks/resubscribe", { id }), headers);
      expect((await stream.next())?.data.result).toMatchObject({ kind: "task", id });
      const canceled = await ask(call("tasks/cancel", { id }));
      expect(canceled.json.result.status.state).toBe("canceled");
      expect((await stream.rest()).at(-1)?.data.result).toMatchObject({ final: true, status: { state: "canceled" } });
    });

    it("E23 push configurations", async () => {
      const { json } = await ask(call("message/send", { configuration, message: message("ask") }));
      const taskId: string = json.result.id;
      const pushNotificationConfig = { id: "mine", token: "t", url: target.webhooks?.open().url };
      const set = await ask(call("tasks/pushNotificationConfig/set", { pushNotificationConfig, taskId }));
      expect(set.json.result).toEqual({ pushNotificationConfig, taskId });
      const got = await ask(call("tasks/pushNotificationConfig/get", { id: taskId, pushNotificationConfigId: "mine" }));
      expect(got.json.result).toEqual({ pushNotificationConfig, taskId });
    });

    it("E10 E12 E21 errors have the codes of its version", async () => {
      const code = async (method: string, params: object) => (await ask(call(method, params))).json.error?.code;
      expect(await code("tasks/get", { id: newId() })).toBe(-32001);
      expect(await code("tasks/cancel", { id: newId() })).toBe(-32001);
      const done = await ask(call("message/send", { configuration, message: message("steps") }));
      expect(await code("message/send", { message: message("more", { taskId: done.json.result.id }) })).toBe(-32004);
      expect(await code("tasks/resubscribe", { id: done.json.result.id })).toBe(-32004);
    });
  });

  /** Over the other two it speaks in the messages of the protobuf definition: over HTTP+JSON in their JSON. */
  const message = (text: string, rest: object = {}) => ({
    messageId: newId(),
    role: "ROLE_USER",
    content: [{ text }],
    ...rest,
  });

  describe("over HTTP+JSON", () => {
    async function ask(method: string, path: string, body?: object): Promise<{ status: number; json: Json }> {
      const reply = await http(`${target.agent.base}${path}`, {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      return { status: reply.facts.status, json: JSON.parse(await reply.text()) };
    }
    const send = async (text: string, rest: object = {}): Promise<Json> => {
      const body = { message: message(text, rest), configuration: { blocking: true } };
      const { status, json } = await ask("POST", "/v1/message:send", body);
      expect(status).toBe(200);
      checkShape(V03_PROTO, "SendMessageResponse", json);
      return json.task as Json;
    };

    it("E9 E14 message:send", async () => {
      expect(await send("Where is order 1234?")).toMatchObject({
        status: { state: "TASK_STATE_COMPLETED" },
        artifacts: [{ parts: [{ text: "Where is order 1234?" }] }],
      });
    });

    it("E14 message:stream", async () => {
      const reply = await http(`${target.agent.base}/v1/message:stream`, {
        method: "POST",
        headers: { ...headers, accept: "text/event-stream", "content-type": "application/json" },
        body: JSON.stringify({ message: message("steps"), configuration: { blocking: true } }),
      });
      const events: Json[] = [];
      for await (const { data } of readSse(reply.message)) events.push(JSON.parse(data));
      for (const event of events) checkShape(V03_PROTO, "StreamResponse", event);
      expect(events[0]).toHaveProperty("task");
      expect(events.at(-1)).toMatchObject({ statusUpdate: { final: true, status: { state: "TASK_STATE_COMPLETED" } } });
    });

    it("E14 tasks: get, cancel, subscribe by GET", async () => {
      const body = { message: message("hang"), configuration: {} };
      const { json } = await ask("POST", "/v1/message:send", body);
      const { id } = json.task as { id: string };
      const found = await ask("GET", `/v1/tasks/${id}?historyLength=10`);
      checkShape(V03_PROTO, "Task", found.json);
      const stream = await http(`${target.agent.base}/v1/tasks/${id}:subscribe`, {
        method: "GET",
        headers: { ...headers, accept: "text/event-stream", "cache-control": "no-store" },
      });
      const events = readSse(stream.message);
      expect(JSON.parse((await events.next()).value?.data ?? "{}")).toMatchObject({ task: { id } });
      const canceled = await ask("POST", `/v1/tasks/${id}:cancel`, { name: `tasks/${id}` });
      checkShape(V03_PROTO, "Task", canceled.json);
      let last: Json = {};
      for await (const { data } of events) last = JSON.parse(data);
      expect(last).toMatchObject({ statusUpdate: { final: true } });
    });

    it("E23 push configurations", async () => {
      const { id } = (await send("ask")) as { id: string };
      const name = `tasks/${id}/pushNotificationConfigs/mine`;
      const url = target.webhooks?.open().url;
      const config = { name, pushNotificationConfig: { id: "mine", url, token: "t" } };
      const set = await ask("POST", `/v1/tasks/${id}/pushNotificationConfigs`, {
        parent: `tasks/${id}`,
        configId: "mine",
        config,
      });
      checkShape(V03_PROTO, "TaskPushNotificationConfig", set.json);
      expect(set.json).toEqual(config);
      expect((await ask("GET", `/v1/${name}`)).json).toEqual(config);
    });

    it("E20 the extended card, which it reads as it reads a public one", async () => {
      const { status, json } = await ask("GET", "/v1/card");
      expect(status).toBe(200);
      expect(json).toMatchObject({ name: "actor", url: expect.any(String), version: expect.any(String) });
    });

    it("E10 E21 errors have statuses that it tells its user", async () => {
      expect((await ask("GET", `/v1/tasks/${newId()}`)).status).toBe(404);
      const { id } = (await send("hello")) as { id: string };
      const more = await ask("POST", "/v1/message:send", { message: message("more", { taskId: id }) });
      expect(more.status).toBe(400);
      expect(more.json).toMatchObject({ code: -32004, message: expect.any(String) });
    });
  });

  describe("over gRPC", () => {
    async function ask(method: string, request: string, response: string, body: Json): Promise<Json> {
      const options = { agent: target.agent, token: target.token };
      const answer = await unary(options, "0.3", method, encode(V03_PROTO, request, body));
      if ("error" in answer) throw new Error(`${answer.error.facts.status}: ${answer.error.message}`);
      return decode(V03_PROTO, response, answer.bytes);
    }
    const send = async (text: string): Promise<Json> =>
      (
        await ask("SendMessage", "SendMessageRequest", "SendMessageResponse", {
          message: message(text),
          configuration: { blocking: true },
        })
      ).task as Json;

    it("E9 E14 SendMessage, GetTask, CancelTask", async () => {
      const task = await send("Where is order 1234?");
      checkShape(V03_PROTO, "Task", task);
      expect(task).toMatchObject({ status: { state: "TASK_STATE_COMPLETED" } });
      const { id } = (await send("ask")) as { id: string };
      const found = await ask("GetTask", "GetTaskRequest", "Task", { name: `tasks/${id}`, historyLength: 10 });
      expect(found).toMatchObject({ id, status: { state: "TASK_STATE_INPUT_REQUIRED" } });
      await ask("CancelTask", "CancelTaskRequest", "Task", { name: `tasks/${id}` });
      await expect(ask("CancelTask", "CancelTaskRequest", "Task", { name: `tasks/${id}` })).rejects.toThrow();
    });

    it("E23 CreateTaskPushNotificationConfig and GetTaskPushNotificationConfig", async () => {
      const { id } = (await send("ask")) as { id: string };
      const name = `tasks/${id}/pushNotificationConfigs/mine`;
      const config = { name, pushNotificationConfig: { id: "mine", url: target.webhooks?.open().url, token: "t" } };
      const made = await ask(
        "CreateTaskPushNotificationConfig",
        "CreateTaskPushNotificationConfigRequest",
        "TaskPushNotificationConfig",
        { parent: `tasks/${id}`, configId: "mine", config },
      );
      expect(made).toEqual(config);
      const found = await ask(
        "GetTaskPushNotificationConfig",
        "GetTaskPushNotificationConfigRequest",
        "TaskPushNotificationConfig",
        { name },
      );
      expect(found).toEqual(config);
    });

    it("E20 GetAgentCard", async () => {
      const card = await ask("GetAgentCard", "GetAgentCardRequest", "AgentCard", {});
      checkShape(V03_PROTO, "AgentCard", card);
      expect(card).toMatchObject({ name: "actor" });
    });
  });
});
