import { Role, type Task, TaskState } from "@a2a-js/sdk";
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type TransportFactory,
} from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";
import {
  PushNotificationNotSupportedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startOwnDaemon } from "../../conformance/targets/own-daemon.js";
import type { Target } from "../../conformance/targets/target.js";
import { WIRES } from "../../conformance/wires/all.js";
import { newId } from "../../src/shared/ids.js";

/** The official client as it is, on every binding that it speaks, against one daemon. */
describe("@a2a-js/sdk 1.3.0", () => {
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
    /** Found by its card. Over gRPC the credential travels as a service parameter. */
    const clientOf = (agent = target.agent): Promise<Client> =>
      new ClientFactory(
        ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
          transports: [transport()],
          preferredTransports: [binding],
          clientConfig: {
            interceptors: [
              {
                before: async ({ options = {} }) => {
                  options.serviceParameters = {
                    ...options.serviceParameters,
                    ...(binding === "GRPC" ? { authorization: `Bearer ${target.token}` } : {}),
                  };
                },
                after: async () => {},
              },
            ],
          },
        }),
      ).createFromUrl(`${agent.base}/`);
    /** The interceptor changes the options that a call is given. */
    const options = () => ({ serviceParameters: {} });

    const request = (text: string, message: object = {}, configuration: object = {}) => ({
      tenant: "",
      message: {
        messageId: newId(),
        contextId: "",
        taskId: "",
        role: Role.ROLE_USER,
        parts: [{ content: { $case: "text" as const, value: text }, metadata: undefined, filename: "", mediaType: "" }],
        metadata: undefined,
        extensions: [],
        referenceTaskIds: [],
        ...message,
      },
      configuration: { acceptedOutputModes: [], returnImmediately: false, ...configuration } as never,
      metadata: undefined,
    });
    const byId = (id: string) => ({ tenant: "", id, historyLength: undefined, metadata: undefined });
    const textOf = (task: Task) =>
      task.artifacts.flatMap((artifact) => artifact.parts).map((part) => part.content?.value);
    const run = async (text: string, message: object = {}, configuration: object = {}): Promise<Task> =>
      (await (await clientOf()).sendMessage(request(text, message, configuration), options())) as Task;

    it("E14 finds the binding in the card", async () => {
      const client = await clientOf();
      const card = await client.getAgentCard(options());
      expect(card.name).toBe("actor");
      expect(card.supportedInterfaces.map(({ protocolBinding }) => protocolBinding)).toContain(binding);
      expect(client.protocolVersion).toBe("1.0");
    });

    it("E14 sends a message and gets the finished task", async () => {
      const task = await run("hello");
      expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
      expect(textOf(task)).toEqual(["hello"]);
      expect(task.history).toHaveLength(1);
    });

    it("E14 E22 streams: the task, updates, the end", async () => {
      const cases: (string | undefined)[] = [];
      const states: (TaskState | undefined)[] = [];
      for await (const { payload } of (await clientOf()).sendMessageStream(request("steps"), options())) {
        cases.push(payload?.$case);
        if (payload?.$case === "task" || payload?.$case === "statusUpdate") states.push(payload.value.status?.state);
      }
      expect(cases[0]).toBe("task");
      expect(cases).toContain("artifactUpdate");
      expect(states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
    });

    it("E12 E14 gets and cancels a task", async () => {
      const client = await clientOf();
      const { id } = await run("hang", {}, { returnImmediately: true });
      const canceled = await client.cancelTask(byId(id), options());
      expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
      const found = await client.getTask(byId(id), options());
      expect(found.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
      await expect(client.cancelTask(byId(id), options())).rejects.toBeInstanceOf(TaskNotCancelableError);
    });

    it("E21 answers a question", async () => {
      const asking = await run("ask");
      expect(asking.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
      const done = await run("the red one", { taskId: asking.id });
      expect(done.id).toBe(asking.id);
      expect(textOf(done)).toEqual(["you said the red one"]);
    });

    it("E22 subscribes to a task that runs, and not to one that has ended", async () => {
      const client = await clientOf();
      const task = await run("slow", {}, { returnImmediately: true });
      const seen: (string | undefined)[] = [];
      for await (const { payload } of client.resubscribeTask({ tenant: "", id: task.id }, options())) {
        seen.push(payload?.$case);
      }
      expect(seen[0]).toBe("task");
      expect(seen.at(-1)).toBe("statusUpdate");
      const again = client.resubscribeTask({ tenant: "", id: task.id }, options());
      await expect(again.next()).rejects.toBeInstanceOf(UnsupportedOperationError);
    });

    it("E20 lists tasks", async () => {
      const contextId = newId();
      const made = [await run("hello", { contextId }), await run("hello", { contextId })];
      const { tasks, totalSize } = await (await clientOf()).listTasks(
        {
          tenant: "",
          contextId,
          status: TaskState.TASK_STATE_COMPLETED,
          pageSize: 10,
          pageToken: "",
          historyLength: undefined,
          statusTimestampAfter: undefined,
          includeArtifacts: undefined,
        },
        options(),
      );
      expect(tasks.map(({ id }) => id).sort()).toEqual(made.map(({ id }) => id).sort());
      expect(totalSize).toBe(2);
    });

    it("E23 makes, reads, lists and deletes push configurations", async () => {
      const client = await clientOf();
      const { id: taskId } = await run("ask");
      const url = target.webhooks?.open().url as string;
      const made = await client.createTaskPushNotificationConfig(
        { tenant: "", taskId, id: "", url, token: "t", authentication: undefined },
        options(),
      );
      expect(made).toMatchObject({ taskId, url });
      const named = { tenant: "", taskId, id: made.id };
      expect(await client.getTaskPushNotificationConfig(named, options())).toMatchObject({ id: made.id, url });
      const listed = () =>
        client.listTaskPushNotificationConfig({ tenant: "", taskId, pageSize: 0, pageToken: "" }, options());
      expect((await listed()).configs).toHaveLength(1);
      await client.deleteTaskPushNotificationConfig(named, options());
      expect((await listed()).configs).toEqual([]);
    });

    it("E20 replaces its card by the extended one", async () => {
      const card = await (await clientOf()).getAgentCard(options());
      expect(card.capabilities?.extendedAgentCard).toBe(true);
      expect(card.skills.length).toBeGreaterThan(0);
    });

    it("gets a bare message as one, also in a stream", async () => {
      const client = await clientOf();
      expect(await client.sendMessage(request("bare words"), options())).toMatchObject({
        role: Role.ROLE_AGENT,
        taskId: "",
      });
      const events = [];
      for await (const { payload } of client.sendMessageStream(request("bare words"), options())) {
        events.push(payload?.$case);
      }
      expect(events).toEqual(["message"]);
    });

    it("is told of errors as what they are", async () => {
      const client = await clientOf();
      await expect(client.getTask(byId(newId()), options())).rejects.toBeInstanceOf(TaskNotFoundError);
      const { id: taskId } = await run("hello");
      await expect(client.sendMessage(request("more", { taskId }), options())).rejects.toBeInstanceOf(
        UnsupportedOperationError,
      );
      // What the card does not offer, the client refuses by itself.
      const plain = await clientOf(target.plain);
      const push = {
        tenant: "",
        taskId,
        id: "x",
        url: "https://client.example/",
        token: "",
        authentication: undefined,
      };
      expect(() => plain.createTaskPushNotificationConfig(push, options())).toThrow(PushNotificationNotSupportedError);
    });
  });
});
