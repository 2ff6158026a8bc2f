import type { Message, MessageSendParams, Task, TaskStatusUpdateEvent } from "a2a-sdk-0-3";
import { type Client, ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } from "a2a-sdk-0-3/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../src/shared/ids.js";
import { type Edge, startEdge } from "../support/a2a-edge.js";

describe("@a2a-js/sdk 0.3.14", () => {
  let edge: Edge;
  let authorized: typeof fetch;

  beforeAll(async () => {
    edge = await startEdge();
    const { authorization } = await edge.key("sdk");
    authorized = (input, init) =>
      fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), authorization } });
  });
  afterAll(() => edge.stop());

  const clientOf = (persona: string): Promise<Client> =>
    new ClientFactory(
      ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
        transports: [new JsonRpcTransportFactory({ fetchImpl: authorized })],
      }),
    ).createFromUrl(`${edge.urlOf(persona)}/`);

  const request = (text: string, message: object = {}, configuration?: object): MessageSendParams => ({
    message: { kind: "message", messageId: newId(), role: "user", parts: [{ kind: "text", text }], ...message },
    ...(configuration === undefined ? {} : { configuration }),
  });

  const textOf = (task: Task) =>
    task.artifacts?.flatMap((artifact) => artifact.parts).map((part) => (part.kind === "text" ? part.text : part.kind));

  it("E14 reads the card", async () => {
    const card = await (await clientOf("echo")).getAgentCard();
    expect(card).toMatchObject({ name: "echo", url: edge.urlOf("echo"), preferredTransport: "JSONRPC" });
  });

  it("E9 E14 sends a message and waits for the finished task", async () => {
    const task = (await (await clientOf("echo")).sendMessage(request("hello", {}, { blocking: true }))) as Task;
    expect(task).toMatchObject({ kind: "task", status: { state: "completed" } });
    expect(textOf(task)).toEqual(["hello"]);
  });

  it("E14 streams: the task, updates, and the last one says so", async () => {
    const events: (Task | Message | { kind: string; final?: boolean })[] = [];
    for await (const event of (await clientOf("actor")).sendMessageStream(request("stream"))) events.push(event);
    expect(events[0]?.kind).toBe("task");
    expect(events.some(({ kind }) => kind === "artifact-update")).toBe(true);
    expect(events.filter((event) => "final" in event && event.final)).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ kind: "status-update", final: true, status: { state: "completed" } });
  });

  it("E14 gets and cancels a task", async () => {
    const client = await clientOf("actor");
    const task = (await client.sendMessage(request("hang", {}, { blocking: false }))) as Task;
    expect((await client.cancelTask({ id: task.id })).status.state).toBe("canceled");
    expect((await client.getTask({ id: task.id })).status.state).toBe("canceled");
    await expect(client.cancelTask({ id: task.id })).rejects.toMatchObject({
      errorResponse: { error: { code: -32002 } },
    });
  });

  it("E21 answers a question in a stream", async () => {
    const client = await clientOf("actor");
    const asking = (await client.sendMessage(request("ask", {}, { blocking: true }))) as Task;
    expect(asking.status.state).toBe("input-required");
    const events: { kind: string }[] = [];
    const { id: taskId, contextId } = asking;
    for await (const event of client.sendMessageStream(request("the red one", { taskId, contextId }))) {
      events.push(event);
    }
    expect(events[0]).toMatchObject({ kind: "task", id: taskId, status: { state: "working" } });
    expect((events.at(-1) as TaskStatusUpdateEvent).status.state).toBe("completed");
  });

  it("E22 subscribes to a task that runs", async () => {
    const client = await clientOf("actor");
    const task = (await client.sendMessage(request("slow", {}, { blocking: false }))) as Task;
    const seen: string[] = [];
    for await (const event of client.resubscribeTask({ id: task.id })) seen.push(event.kind);
    expect(seen[0]).toBe("task");
    expect(seen.at(-1)).toBe("status-update");
  });

  it("gets a bare message as one", async () => {
    const answer = await (await clientOf("actor")).sendMessage(request("bare words"));
    expect(answer).toMatchObject({
      kind: "message",
      role: "agent",
      parts: [{ kind: "text", text: "just bare words" }],
    });
  });

  it("gets files and data in the spelling of its version", async () => {
    const task = (await (await clientOf("actor")).sendMessage(request("parts", {}, { blocking: true }))) as Task;
    expect(task.artifacts?.[0]?.parts).toEqual([
      { kind: "data", data: { value: [1, 2] }, metadata: { data_part_compat: true } },
      { kind: "data", data: { a: 1 } },
      { kind: "file", file: { bytes: "aGk=", mimeType: "text/plain", name: "hi.txt" } },
    ]);
    expect(task.status.message?.parts).toEqual([{ kind: "text", text: "all parts are there" }]);
    expect(edge.faults).toEqual([]);
  });
});
