import { Role, type Task, TaskState } from "@a2a-js/sdk";
import { type Client, ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } from "@a2a-js/sdk/client";
import { TaskNotCancelableError, TaskNotFoundError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../src/shared/ids.js";
import { type Edge, startEdge } from "../support/a2a-edge.js";

describe("@a2a-js/sdk 1.3.0", () => {
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

  const textOf = (task: Task) =>
    task.artifacts.flatMap((artifact) => artifact.parts).map((part) => part.content?.value);

  it("E14 reads the card", async () => {
    const card = await (await clientOf("echo")).getAgentCard();
    expect(card.name).toBe("echo");
    expect(card.supportedInterfaces[0]?.url).toBe(edge.urlOf("echo"));
  });

  it("E14 sends a message and gets the finished task", async () => {
    const task = (await (await clientOf("echo")).sendMessage(request("hello"))) as Task;
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(textOf(task)).toEqual(["hello"]);
    expect(task.history).toHaveLength(1);
  });

  it("E14 streams: the task, updates, the end", async () => {
    const cases: (string | undefined)[] = [];
    const states: (TaskState | undefined)[] = [];
    for await (const { payload } of (await clientOf("actor")).sendMessageStream(request("stream"))) {
      cases.push(payload?.$case);
      if (payload?.$case === "task" || payload?.$case === "statusUpdate") states.push(payload.value.status?.state);
    }
    expect(cases[0]).toBe("task");
    expect(cases).toContain("artifactUpdate");
    expect(states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
  });

  it("E14 gets and cancels a task", async () => {
    const client = await clientOf("actor");
    const task = (await client.sendMessage(request("hang", {}, { returnImmediately: true }))) as Task;
    const canceled = await client.cancelTask({ tenant: "", id: task.id, metadata: undefined });
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    const found = await client.getTask({ tenant: "", id: task.id, historyLength: undefined });
    expect(found.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await expect(client.cancelTask({ tenant: "", id: task.id, metadata: undefined })).rejects.toBeInstanceOf(
      TaskNotCancelableError,
    );
  });

  it("E21 answers a question", async () => {
    const client = await clientOf("actor");
    const asking = (await client.sendMessage(request("ask"))) as Task;
    expect(asking.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const done = (await client.sendMessage(request("the red one", { taskId: asking.id }))) as Task;
    expect(done.id).toBe(asking.id);
    expect(textOf(done)).toEqual(["you said the red one"]);
  });

  it("E22 subscribes to a task that runs", async () => {
    const client = await clientOf("actor");
    const task = (await client.sendMessage(request("slow", {}, { returnImmediately: true }))) as Task;
    const seen: (string | undefined)[] = [];
    for await (const { payload } of client.resubscribeTask({ tenant: "", id: task.id })) seen.push(payload?.$case);
    expect(seen[0]).toBe("task");
    expect(seen.at(-1)).toBe("statusUpdate");
    const again = client.resubscribeTask({ tenant: "", id: task.id });
    await expect(again.next()).rejects.toBeInstanceOf(UnsupportedOperationError);
  });

  it("gets a bare message as one, also in a stream", async () => {
    const client = await clientOf("actor");
    const answer = await client.sendMessage(request("bare words"));
    expect(answer).toMatchObject({ role: Role.ROLE_AGENT, taskId: "" });
    const events = [];
    for await (const { payload } of client.sendMessageStream(request("bare words"))) events.push(payload?.$case);
    expect(events).toEqual(["message"]);
  });

  it("is told of errors as what they are", async () => {
    const client = await clientOf("echo");
    await expect(client.getTask({ tenant: "", id: newId(), historyLength: undefined })).rejects.toBeInstanceOf(
      TaskNotFoundError,
    );
    expect(edge.faults).toEqual([]);
  });
});
