import type { Message, MessageSendParams, Task, TaskStatusUpdateEvent } from "a2a-sdk-0-3";
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type TransportFactory,
} from "a2a-sdk-0-3/client";
import { GrpcTransportFactory } from "a2a-sdk-0-3/client/grpc";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startOwnDaemon } from "../../conformance/targets/own-daemon.js";
import type { Target } from "../../conformance/targets/target.js";
import { WIRES } from "../../conformance/wires/all.js";
import { newId } from "../../src/shared/ids.js";

/** The official client of 0.3 as it is, on every binding that it speaks, against one daemon. */
describe("@a2a-js/sdk 0.3.14", () => {
  let target: Target;
  beforeAll(async () => {
    target = await startOwnDaemon(WIRES);
  });
  afterAll(async () => {
    expect(await target.close()).toEqual([]);
  });

  const authorized: typeof fetch = (input, init) =>
    fetch(input, {
      ...init,
      headers: { ...(init?.headers as Record<string, string>), authorization: `Bearer ${target.token}` },
    });

  const BINDINGS: [string, () => TransportFactory][] = [
    ["JSONRPC", () => new JsonRpcTransportFactory({ fetchImpl: authorized })],
    ["HTTP+JSON", () => new RestTransportFactory({ fetchImpl: authorized })],
    ["GRPC", () => new GrpcTransportFactory()],
  ];

  describe.each(BINDINGS)("%s", (binding, transport) => {
    const clientOf = (agent = target.agent): Promise<Client> =>
      new ClientFactory(
        ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
          transports: [transport()],
          preferredTransports: [binding],
        }),
      ).createFromUrl(`${agent.base}/`);
    /** What gRPC carries as metadata: the credential, and which agent of the port is meant. */
    const options = (agent = target.agent) => ({
      serviceParameters:
        binding === "GRPC"
          ? { authorization: `Bearer ${target.token}`, ...agent.grpcMetadata }
          : ({} as Record<string, string>),
    });

    const request = (text: string, message: object = {}, configuration?: object): MessageSendParams => ({
      message: { kind: "message", messageId: newId(), role: "user", parts: [{ kind: "text", text }], ...message },
      ...(configuration === undefined ? {} : { configuration }),
    });
    const textOf = (task: Task) =>
      task.artifacts
        ?.flatMap((artifact) => artifact.parts)
        .map((part) => (part.kind === "text" ? part.text : part.kind));
    const run = async (text: string, message: object = {}): Promise<Task> =>
      (await (await clientOf()).sendMessage(request(text, message, { blocking: true }), options())) as Task;
    const start = async (text: string): Promise<Task> =>
      (await (await clientOf()).sendMessage(request(text, {}, { blocking: false }), options())) as Task;

    it("E14 finds the binding in the card", async () => {
      const card = await (await clientOf()).getAgentCard(options());
      expect(card).toMatchObject({ name: "actor", protocolVersion: expect.stringMatching(/^0\.3/) });
    });

    it("E9 E14 sends a message and waits for the finished task", async () => {
      const task = await run("hello");
      expect(task).toMatchObject({ kind: "task", status: { state: "completed" } });
      expect(textOf(task)).toEqual(["hello"]);
    });

    it("E14 E22 streams: the task, updates, and the last one says so", async () => {
      const events: (Task | Message | { kind: string; final?: boolean })[] = [];
      for await (const event of (await clientOf()).sendMessageStream(request("steps"), options())) events.push(event);
      expect(events[0]?.kind).toBe("task");
      expect(events.some(({ kind }) => kind === "artifact-update")).toBe(true);
      expect(events.filter((event) => "final" in event && event.final)).toHaveLength(1);
      expect(events.at(-1)).toMatchObject({ kind: "status-update", final: true, status: { state: "completed" } });
    });

    it("E12 E14 gets and cancels a task", async () => {
      const client = await clientOf();
      const { id } = await start("hang");
      expect((await client.cancelTask({ id }, options())).status.state).toBe("canceled");
      expect((await client.getTask({ id }, options())).status.state).toBe("canceled");
      await expect(client.cancelTask({ id }, options())).rejects.toThrow();
    });

    it("E21 answers a question in a stream", async () => {
      const asking = await run("ask");
      expect(asking.status.state).toBe("input-required");
      const events: { kind: string }[] = [];
      const { id: taskId, contextId } = asking;
      const answer = request("the red one", { taskId, contextId });
      for await (const event of (await clientOf()).sendMessageStream(answer, options())) events.push(event);
      expect(events[0]).toMatchObject({ kind: "task", id: taskId });
      expect((events.at(-1) as TaskStatusUpdateEvent).status.state).toBe("completed");
    });

    it("E22 subscribes to a task that runs", async () => {
      const client = await clientOf();
      const { id } = await start("slow");
      const seen: string[] = [];
      for await (const event of client.resubscribeTask({ id }, options())) seen.push(event.kind);
      expect(seen[0]).toBe("task");
      expect(seen.at(-1)).toBe("status-update");
    });

    it("E23 makes, reads, lists and deletes push configurations", async () => {
      const client = await clientOf();
      const { id: taskId } = await run("ask");
      const url = target.webhooks?.open().url as string;
      const push = { taskId, pushNotificationConfig: { id: "mine", url, token: "t" } };
      expect(await client.setTaskPushNotificationConfig(push, options())).toMatchObject({
        taskId,
        pushNotificationConfig: { id: "mine", url },
      });
      const named = { id: taskId, pushNotificationConfigId: "mine" };
      expect((await client.getTaskPushNotificationConfig(named, options())).pushNotificationConfig.url).toBe(url);
      expect(await client.listTaskPushNotificationConfig({ id: taskId }, options())).toHaveLength(1);
      await client.deleteTaskPushNotificationConfig(named, options());
      expect(await client.listTaskPushNotificationConfig({ id: taskId }, options())).toEqual([]);
    });

    it("gets a bare message as one", async () => {
      const answer = await (await clientOf()).sendMessage(request("bare words"), options());
      expect(answer).toMatchObject({
        kind: "message",
        role: "agent",
        parts: [{ kind: "text", text: "just bare words" }],
      });
    });

    it("gets files and data in the spelling of its version", async () => {
      const task = await run("parts");
      expect(task.artifacts?.[0]?.parts).toMatchObject([
        { kind: "text", text: "a text" },
        // In protobuf it reads a null as 0.
        { kind: "data", data: { a: 1, deep: [true, binding === "GRPC" ? 0 : null] } },
        { kind: "file", file: { mimeType: "text/plain" } },
        { kind: "file", file: { uri: "https://files.example/report.pdf", mimeType: "application/pdf" } },
      ]);
      expect(task.status.message?.parts).toEqual([{ kind: "text", text: "all parts are there" }]);
    });
  });
});
