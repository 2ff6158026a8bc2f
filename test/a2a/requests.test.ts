import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callV1, type Edge, echo, rpc, scripted, sendV1, startEdge } from "../support/a2a-edge.js";

describe("requests that are not in order", () => {
  let edge: Edge;
  let headers: Record<string, string>;
  let url: string;

  beforeAll(async () => {
    edge = await startEdge({
      personas: [echo, scripted("plain", [], { visibility: "public", extendedCard: false, push: false })],
    });
    headers = { authorization: (await edge.key("me")).authorization, "a2a-version": "1.0" };
    url = edge.urlOf("echo");
  });
  afterAll(async () => {
    expect(edge.faults).toEqual([]);
    await edge.stop();
  });

  it.each([
    ["broken JSON", "{", -32700],
    ["nothing", "", -32700],
    ["a batch", "[]", -32600],
    ["a notification", '{"jsonrpc":"2.0","method":"SendMessage"}', -32600],
    ["an unknown method", JSON.stringify({ jsonrpc: "2.0", id: 1, method: "Nope" }), -32601],
    ["a method of Object", JSON.stringify({ jsonrpc: "2.0", id: 1, method: "constructor" }), -32601],
    ["no params", JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage" }), -32602],
    ["params by position", JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: [1] }), -32602],
    ["a task that is not there", JSON.stringify(callV1("GetTask", { id: "x" })), -32001],
    ["a follow-up to it", JSON.stringify(sendV1("hi", {}, { taskId: "x" })), -32001],
    ["canceling it", JSON.stringify(callV1("CancelTask", { id: "x" })), -32001],
    ["subscribing to it", JSON.stringify(callV1("SubscribeToTask", { id: "x" })), -32001],
  ])("%s: its JSON-RPC error, with status 200", async (_what, body, code) => {
    const answer = await rpc(url, body, headers);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(answer.json.jsonrpc).toBe("2.0");
    expect(answer.json.error?.code).toBe(code);
    expect(answer.text).not.toMatch(/\.[jt]s:\d+|node_modules/);
  });

  it.each([
    ["CreateTaskPushNotificationConfig", "1.0", -32003],
    ["GetTaskPushNotificationConfig", "1.0", -32003],
    ["ListTaskPushNotificationConfigs", "1.0", -32003],
    ["DeleteTaskPushNotificationConfig", "1.0", -32003],
    ["tasks/pushNotificationConfig/set", "0.3", -32003],
    ["tasks/pushNotificationConfig/get", "0.3", -32003],
    ["tasks/pushNotificationConfig/list", "0.3", -32003],
    ["tasks/pushNotificationConfig/delete", "0.3", -32003],
    ["tasks/list", "0.3", -32601],
  ])("E13 %s of %s is not offered", async (method, version, code) => {
    const call = { jsonrpc: "2.0", id: "x", method };
    const answer = await rpc(edge.urlOf("plain"), call, { ...headers, "a2a-version": version });
    expect(answer.json.error?.code).toBe(code);
    expect(answer.json.id).toBe("x");
  });

  it.each([
    ["GetExtendedAgentCard", "1.0"],
    ["agent/getAuthenticatedExtendedCard", "0.3"],
  ])("E13 %s of %s is not there where a persona has no extended card", async (method, version) => {
    const call = { jsonrpc: "2.0", id: "x", method };
    const answer = await rpc(edge.urlOf("plain"), call, { ...headers, "a2a-version": version });
    expect(answer.json.error?.code).toBe(-32007);
  });

  it.each([
    ["message/send", "1.0"],
    ["SendMessage", undefined],
  ])(
    "a method of the other version is not found, and the answer says which header is missing: %s",
    async (method, version) => {
      const { json } = await rpc(url, { jsonrpc: "2.0", id: 1, method }, { ...headers, "a2a-version": version });
      expect(json.error?.code).toBe(-32601);
      expect(json.error?.message).toContain("A2A-Version");
    },
  );

  it("an unsupported version is refused with those that are served", async () => {
    const { status, json } = await rpc(url, sendV1("hi"), { ...headers, "a2a-version": "2.0" });
    expect(status).toBe(200);
    expect(json.error?.code).toBe(-32009);
    expect(json.error?.data[0].metadata).toEqual({ requestedVersion: "2.0", supportedVersions: "1.0,0.3" });
  });

  it("an unsupported version is answered with the id of the request", async () => {
    const { json } = await rpc(url, { ...sendV1("hi"), id: "mine" }, { ...headers, "a2a-version": "2.0" });
    expect(json).toMatchObject({ id: "mine", error: { code: -32009 } });
  });

  it("the version may stand in the query", async () => {
    const bare = { authorization: headers.authorization };
    expect((await rpc(`${url}?A2A-Version=1.0`, sendV1("hi"), bare)).json.result.task.id).toBeDefined();
    expect((await rpc(`${url}/?A2A-Version=9`, sendV1("hi"), bare)).json.error?.code).toBe(-32009);
  });

  it("names the field that is wrong", async () => {
    const { json } = await rpc(
      url,
      callV1("SendMessage", { message: { messageId: "m", role: "ROLE_USER", parts: [] } }),
      headers,
    );
    expect(json.error).toMatchObject({
      code: -32602,
      data: [
        { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [{ field: "message.parts" }] },
        {},
      ],
    });
  });

  it.each(["text/plain", "application/xml", undefined])("another content type, %s: 415", async (type) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, ...(type === undefined ? {} : { "content-type": type }) },
      body: new Blob([JSON.stringify(sendV1("hi"))]),
    });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ error: { code: -32005 } });
  });

  it("a packed body: 415 that says which encoding is taken, and nothing is unpacked", async () => {
    const packed = gzipSync(JSON.stringify(sendV1("hi")));
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", "content-encoding": "gzip" },
      body: packed,
    });
    expect(response.status).toBe(415);
    expect(response.headers.get("accept-encoding")).toBe("identity");
    expect(await response.json()).toMatchObject({
      error: { code: -32005, data: [{ reason: "CONTENT_ENCODING_NOT_SUPPORTED" }] },
    });
  });

  it("E24 a body over 1 MiB: 413 with a JSON-RPC error, declared or not", async () => {
    const body = JSON.stringify(sendV1("x".repeat(1024 * 1024)));
    const declared = await rpc(url, body, headers);
    expect(declared.status).toBe(413);
    expect(declared.json).toMatchObject({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32600, data: [{ reason: "BODY_TOO_LARGE" }] },
    });
    expect(await chunkedStatus(url, headers, body)).toContain("HTTP/1.1 413");
    expect((await rpc(url, sendV1("still here"), headers)).status).toBe(200);
  });

  it("E24 a body just under the limit is served", async () => {
    const { json } = await rpc(url, sendV1("x".repeat(1024 * 1024 - 1000)), headers);
    expect(json.result.task.status.state).toBe("TASK_STATE_COMPLETED");
  });

  it("E24 the tenant of the body must be that of the URL", async () => {
    expect((await rpc(url, sendV1("hi", { tenant: "default" }), headers)).json.result).toBeDefined();
    for (const body of [sendV1("hi", { tenant: "acme" }), callV1("GetTask", { id: "x", tenant: "acme" })]) {
      expect((await rpc(url, body, headers)).json.error).toMatchObject({
        code: -32602,
        data: [{ fieldViolations: [{ field: "tenant" }] }, {}],
      });
    }
  });

  it("paths that are not there, also broken ones: 404", async () => {
    for (const path of [
      "/",
      "/v1",
      "/v1/agents",
      "/v1/agents/echo",
      "/v1/agents/%ff/a2a",
      `/v1/agents/${"a".repeat(300)}/a2a`,
      "/control",
    ]) {
      expect((await fetch(edge.origin + path, { method: "POST", body: "x" })).status).toBe(404);
    }
  });

  it("answers the health check", async () => {
    expect(await (await fetch(`${edge.origin}/healthz`)).json()).toEqual({ status: "ok" });
  });
});

/** Sends a body whose length is not declared, and reads the first answer. */
function chunkedStatus(url: string, headers: Record<string, string>, body: string): Promise<string> {
  const { hostname, port, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      socket.write(
        [
          `POST ${pathname} HTTP/1.1`,
          `host: ${hostname}`,
          ...lines,
          "content-type: application/json",
          "transfer-encoding: chunked",
          "",
          "",
        ].join("\r\n"),
      );
      socket.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    });
    socket.once("data", (data) => {
      resolve(data.toString());
      socket.destroy();
    });
    socket.once("error", reject);
  });
}
