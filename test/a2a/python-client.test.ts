import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../src/shared/ids.js";
import { type Edge, rpc, SseReader, startEdge } from "../support/a2a-edge.js";

/**
 * Requests as the Python reference client a2a-sdk 0.3.26 writes them: ids are UUIDs, absent fields are left out, the
 * configuration always stands there, no version header is sent.
 */
describe("the Python reference client 0.3.26", () => {
  let edge: Edge;
  let headers: Record<string, string>;

  beforeAll(async () => {
    edge = await startEdge();
    headers = {
      authorization: (await edge.key("python")).authorization,
      accept: "*/*",
      "accept-encoding": "gzip, deflate",
      "user-agent": "python-httpx/0.28.1",
    };
  });
  afterAll(async () => {
    expect(edge.faults).toEqual([]);
    await edge.stop();
  });

  const message = (text: string, rest: object = {}) => ({
    kind: "message",
    messageId: newId(),
    parts: [{ kind: "text", text }],
    role: "user",
    ...rest,
  });
  const call = (method: string, params: object) => ({ id: newId(), jsonrpc: "2.0", method, params });
  const configuration = { acceptedOutputModes: [], blocking: true };

  it("E14 finds the card under the base URL without a slash, and every field that its model requires", async () => {
    const response = await fetch(`${edge.urlOf("echo")}/.well-known/agent-card.json`, { headers });
    const card = (await response.json()) as Record<string, unknown>;
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
  });

  it("E9 E14 message/send", async () => {
    const body = call("message/send", { configuration, message: message("Where is order 1234?") });
    const { status, json } = await rpc(edge.urlOf("echo"), body, headers);
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
    const body = call("message/stream", { configuration, message: message("stream") });
    const events = await (
      await SseReader.open(edge.urlOf("actor"), body, { ...headers, accept: "text/event-stream" })
    ).rest();
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
    const sent = await rpc(
      edge.urlOf("actor"),
      call("message/send", { configuration: { acceptedOutputModes: [], blocking: false }, message: message("hang") }),
      headers,
    );
    const { id } = sent.json.result;
    const found = await rpc(edge.urlOf("actor"), call("tasks/get", { id, historyLength: 10 }), headers);
    expect(found.json.result).toMatchObject({ kind: "task", id });
    const stream = await SseReader.open(edge.urlOf("actor"), call("tasks/resubscribe", { id }), headers);
    expect((await stream.next())?.data.result).toMatchObject({ kind: "task", id });
    const canceled = await rpc(edge.urlOf("actor"), call("tasks/cancel", { id }), headers);
    expect(canceled.json.result.status.state).toBe("canceled");
    expect((await stream.rest()).at(-1)?.data.result).toMatchObject({ final: true, status: { state: "canceled" } });
  });

  it("E10 E12 E13 errors have the codes of its version", async () => {
    const code = async (method: string, params: object) =>
      (await rpc(edge.urlOf("actor"), call(method, params), headers)).json.error?.code;
    expect(await code("tasks/get", { id: newId() })).toBe(-32001);
    expect(await code("tasks/cancel", { id: newId() })).toBe(-32001);
    expect(
      await code("tasks/pushNotificationConfig/set", { taskId: "t", pushNotificationConfig: { url: "http://x" } }),
    ).toBe(-32003);
    expect(await code("agent/getAuthenticatedExtendedCard", {})).toBeUndefined();
    const done = await rpc(
      edge.urlOf("actor"),
      call("message/send", { configuration, message: message("stream") }),
      headers,
    );
    expect(await code("message/send", { message: message("more", { taskId: done.json.result.id }) })).toBe(-32004);
    expect(await code("tasks/resubscribe", { id: done.json.result.id })).toBe(-32004);
  });
});
